-- Query plans: what is sent to the store, and what is left to SQLite.
.read sql-examples/data/load.sql
-- EXPLAIN QUERY PLAN shows each scan as a sentence: the keys, the filter, the properties that are fetched, the order
-- that SQLite may rely on, and the columns that SQLite checks once more. ?1, ?2 … are the values of the conditions.

.print
.print One entity:
EXPLAIN QUERY PLAN
SELECT Name FROM airports WHERE PartitionKey = 'HI' AND RowKey = 'HNL';

.print
.print A range of keys, in key order:
EXPLAIN QUERY PLAN
SELECT RowKey, Delay FROM flights WHERE PartitionKey = 'SEA' AND RowKey >= '2001-02' ORDER BY RowKey LIMIT 5;

.print
.print A filter on a property. The whole table is read, but what does not match never leaves the store:
EXPLAIN QUERY PLAN
SELECT RowKey FROM flights WHERE Delay > 120;

.print
.print Nothing to send: only SQLite knows lower().
EXPLAIN QUERY PLAN
SELECT Name FROM airports WHERE lower(City) = 'seattle';

.print
.print A raw OData filter:
EXPLAIN QUERY PLAN
SELECT RowKey FROM readings WHERE _filter = 'Battery lt 3.8';

.print
.print A join: the inner table is asked by key.
EXPLAIN QUERY PLAN
SELECT a.Name, count(*) FROM airports AS a CROSS JOIN flights AS f ON f.PartitionKey = a.RowKey
WHERE a.PartitionKey = 'HI' GROUP BY a.RowKey;

.print
.print ts_explain shows the requests before they are made, and how well each condition can be sent:
.mode list
SELECT foreign_table, price, pushed, detail FROM ts_explain('
  SELECT a.Name, count(*) FROM airports AS a CROSS JOIN flights AS f ON f.PartitionKey = a.RowKey
  WHERE a.PartitionKey = ''HI'' AND f.RowKey LIKE ''2001-02%'' AND f.Delay IS NOT NULL GROUP BY a.RowKey');
