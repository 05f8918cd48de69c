-- Queries whose rows must be the same on the foreign tables and on ordinary copies of them: one a line. Rows are
-- compared as a bag, and in order too where the line starts with /*ordered*/ (its ORDER BY leaves no ties).
-- Only single-quoted strings: better-sqlite3 is built without the double-quoted misfeature.

-- Keys: equality, ranges, affinity, other cases, letters outside the basic plane
SELECT * FROM Devices WHERE PartitionKey = 'site1' AND RowKey = 'd01'
SELECT * FROM Devices WHERE PartitionKey = '' AND RowKey = ''
SELECT RowKey FROM Devices WHERE PartitionKey = 'Site1'
SELECT RowKey FROM Devices WHERE PartitionKey = 'SITE1' COLLATE NOCASE
SELECT RowKey FROM Devices WHERE PartitionKey COLLATE NOCASE = 'SITE1' AND RowKey >= 'd'
SELECT PartitionKey, RowKey FROM Devices WHERE PartitionKey = 'straße'
SELECT PartitionKey, RowKey FROM Devices WHERE RowKey > 'd22'
SELECT PartitionKey, RowKey FROM Devices WHERE RowKey > char(0xF000)
SELECT PartitionKey, RowKey FROM Devices WHERE RowKey BETWEEN char(0xFB00) AND char(0xFFFF)
SELECT PartitionKey, RowKey FROM Devices WHERE RowKey < 'd03' AND RowKey > 'd00'
SELECT PartitionKey, RowKey FROM Devices WHERE RowKey >= 'd05' AND RowKey >= 'd07' AND RowKey < 'd11' AND RowKey <= 'd09'
SELECT PartitionKey, RowKey FROM Devices WHERE PartitionKey > 'site' AND PartitionKey < 'site1~' AND RowKey LIKE 'D1%'
SELECT PartitionKey, RowKey FROM Readings WHERE RowKey = 7
SELECT PartitionKey, RowKey FROM Readings WHERE PartitionKey = 'd00' AND RowKey > 21
SELECT PartitionKey, RowKey FROM Alerts WHERE PartitionKey IN ('2024-06', '2024-08') AND RowKey IN ('001', '003', NULL)
SELECT count(*) FROM Readings WHERE PartitionKey IN ()
SELECT count(*) FROM Readings WHERE RowKey IN (7, 14, '0021')
SELECT PartitionKey, RowKey FROM Alerts WHERE (PartitionKey, RowKey) = ('2024-06', '002')
SELECT PartitionKey, RowKey FROM Alerts WHERE (PartitionKey, RowKey) > ('2024-06', '003')
SELECT PartitionKey, RowKey FROM Alerts WHERE (PartitionKey, RowKey) <= ('2024-06', '003')
SELECT PartitionKey, RowKey FROM Alerts WHERE (PartitionKey, RowKey) IN (VALUES ('2024-06', '001'), ('2024-07', '009'), ('2024-07', '002'))
SELECT PartitionKey, RowKey FROM Alerts WHERE (PartitionKey, RowKey) IN (SELECT PartitionKey, RowKey FROM Alerts WHERE Level = 2)
SELECT PartitionKey, RowKey FROM Alerts WHERE (PartitionKey, Level) IN (VALUES ('2024-06', 2), ('2024-07', 5))
SELECT PartitionKey, RowKey FROM Devices WHERE (PartitionKey = 'site0' AND RowKey > 'd15') OR PartitionKey > 'site0'
SELECT PartitionKey, RowKey FROM Devices WHERE RowKey IS NULL
SELECT count(*) FROM Devices WHERE PartitionKey IS NOT NULL
SELECT count(*) FROM Devices WHERE PartitionKey = NULL
SELECT PartitionKey, RowKey FROM Devices WHERE PartitionKey IS 'site2'
SELECT PartitionKey, RowKey FROM Devices WHERE PartitionKey IS NOT 'site2' AND RowKey <> ''
SELECT PartitionKey, RowKey FROM Devices WHERE 'd20' < RowKey
SELECT PartitionKey, RowKey FROM Devices WHERE rowid IN (SELECT rowid FROM Devices WHERE Slots = 1)
SELECT PartitionKey, RowKey FROM Devices WHERE rowid = (SELECT rowid FROM Devices WHERE RowKey = 'd08')
SELECT count(DISTINCT rowid) FROM Devices

-- Numbers: widening, affinity, the ends of 64 bits, infinity
SELECT RowKey FROM Devices WHERE Slots = 3
SELECT RowKey FROM Devices WHERE Slots = '3'
SELECT RowKey FROM Devices WHERE Slots = 3.0
SELECT RowKey FROM Devices WHERE Slots = 2.5
SELECT RowKey FROM Devices WHERE Slots > 1.5
SELECT RowKey FROM Devices WHERE Slots >= '2'
SELECT RowKey FROM Devices WHERE Slots < 'x'
SELECT RowKey FROM Devices WHERE Slots > 99999999999
SELECT RowKey FROM Devices WHERE Slots < 99999999999
SELECT RowKey FROM Devices WHERE Slots <> 0
SELECT RowKey FROM Devices WHERE Slots IS NOT 0
SELECT RowKey FROM Devices WHERE Slots IS NULL
SELECT RowKey FROM Devices WHERE NOT (Slots = 1)
SELECT RowKey FROM Devices WHERE Slots NOT IN (1, 2)
SELECT RowKey FROM Devices WHERE Slots IN (1, '2', 3.0, NULL)
SELECT RowKey FROM Devices WHERE Slots IN (0.5, 1.5)
SELECT RowKey FROM Devices WHERE Serial = 9007199254740993
SELECT RowKey FROM Devices WHERE Serial > 9007199254740993
SELECT RowKey FROM Devices WHERE Serial = 9007199254740992.0
SELECT RowKey FROM Devices WHERE Serial > 9007199254740992.0
SELECT RowKey FROM Devices WHERE Serial = -9223372036854775808
SELECT RowKey FROM Devices WHERE Serial >= 9223372036854775807
SELECT RowKey FROM Devices WHERE Serial < 9.3e18
SELECT RowKey FROM Devices WHERE Serial > -1e19 AND Serial <= 0
SELECT RowKey FROM Devices WHERE Serial = '9007199254740995'
SELECT RowKey FROM Devices WHERE Serial BETWEEN 9007199254740993 AND 9007199254740995
SELECT RowKey, Weight FROM Devices WHERE Weight = 0
SELECT RowKey, Weight FROM Devices WHERE Weight > 10
SELECT RowKey, Weight FROM Devices WHERE Weight <= '1.25'
SELECT RowKey, Weight FROM Devices WHERE Weight > 1e308
SELECT RowKey, Weight FROM Devices WHERE Weight < 9e999
SELECT RowKey, Weight FROM Devices WHERE Weight IN (0, 1.25, '2.5', -5)
SELECT RowKey FROM Devices WHERE Weight = Slots + 5
SELECT RowKey FROM Devices WHERE Weight + 0 > Slots * 2
SELECT RowKey FROM Devices WHERE Active
SELECT RowKey FROM Devices WHERE Active = 0
SELECT RowKey FROM Devices WHERE Active IS FALSE
SELECT RowKey FROM Devices WHERE Active = 2
SELECT RowKey FROM Devices WHERE Active < 1
SELECT RowKey FROM Devices WHERE Active IN (1, 0)

-- Text, LIKE and GLOB, empty strings against missing ones
SELECT RowKey FROM Devices WHERE Name = ''
SELECT RowKey FROM Devices WHERE Name IS NULL
SELECT RowKey FROM Devices WHERE Name > ''
SELECT RowKey FROM Devices WHERE Name < 'Device D'
SELECT RowKey FROM Devices WHERE Name <> 'Device A'
SELECT RowKey FROM Devices WHERE Owner = 'bob'
SELECT RowKey FROM Devices WHERE Owner = 'bob' COLLATE NOCASE
SELECT RowKey FROM Devices WHERE Owner LIKE 'BO%'
SELECT RowKey FROM Devices WHERE Owner NOT LIKE 'BO%'
SELECT RowKey FROM Devices WHERE Owner GLOB 'b*'
SELECT RowKey FROM Devices WHERE Name LIKE 'device _'
SELECT RowKey FROM Devices WHERE Name LIKE 'GRÖ%' OR Name LIKE 'grö%'
SELECT RowKey FROM Devices WHERE Name GLOB 'Device [A-E]'
SELECT Message FROM Alerts WHERE Message LIKE '%!%%' ESCAPE '!'
SELECT Message FROM Alerts WHERE Message LIKE 'under!_%' ESCAPE '!'
SELECT Message FROM Alerts WHERE Message LIKE '%''s%'
SELECT Message FROM Alerts WHERE Message LIKE NULL
SELECT Message FROM Alerts WHERE Message GLOB '*contact'
SELECT RowKey FROM Devices WHERE length(Name) = 8 AND upper(Owner) = 'BOB'
SELECT RowKey FROM Devices WHERE Name || '' = 'Device B'
SELECT RowKey FROM Devices WHERE Owner IS NOT DISTINCT FROM NULL
SELECT Name FROM Devices WHERE Name = 5 OR Name > 100

-- Date and time, GUID, binary, ANY
SELECT RowKey FROM Devices WHERE Seen = '2024-06-15T00:00:00Z'
SELECT RowKey FROM Devices WHERE Seen = '2024-06-15'
SELECT RowKey FROM Devices WHERE Seen = '2024-06-15 02:00:00+02:00'
SELECT RowKey FROM Devices WHERE Seen >= '2024-06-18'
SELECT RowKey FROM Devices WHERE Seen < datetime('2024-06-16 05:00:00')
SELECT RowKey FROM Devices WHERE Seen BETWEEN '2024-06-15T05:00:00Z' AND '2024-06-16T12:00:00+02:00'
SELECT RowKey FROM Devices WHERE Seen IN ('2024-06-15T05:00:00Z', '2024-06-15 10:00', 'nonsense')
SELECT RowKey FROM Devices WHERE Seen > 'nonsense'
SELECT RowKey FROM Devices WHERE Seen IS NULL
SELECT RowKey FROM Devices WHERE date(Seen) = '2024-06-16'
SELECT RowKey FROM Devices WHERE julianday(Seen) - julianday('2024-06-15') > 3
SELECT RowKey FROM Devices WHERE Seen > 5
SELECT RowKey FROM Devices WHERE Code = '0A1B2C3D-0000-4000-8000-000000000002'
SELECT RowKey FROM Devices WHERE Code IN ('0a1b2c3d-0000-4000-8000-000000000002', 'no guid')
SELECT RowKey FROM Devices WHERE Code > '0A1B2C3D-0000-4000-8000-000000000010'
SELECT RowKey FROM Devices WHERE Raw = x'00ff10'
SELECT RowKey FROM Devices WHERE Raw > x'00'
SELECT RowKey FROM Devices WHERE Raw = '00ff10'
SELECT RowKey FROM Devices WHERE Raw IS NULL AND Slots > 0
SELECT RowKey, hex(Raw) FROM Devices WHERE length(Raw) = 3
SELECT RowKey, typeof(Extra) FROM Devices WHERE Extra = 0
SELECT RowKey, Extra FROM Devices WHERE Extra = '4'
SELECT RowKey, Extra FROM Devices WHERE Extra > 5
SELECT RowKey, Extra FROM Devices WHERE Extra > 'text'
SELECT RowKey, Extra FROM Devices WHERE Extra = x'0102'
SELECT RowKey, Extra FROM Devices WHERE Extra IS NULL
SELECT typeof(Extra), count(*) FROM Devices GROUP BY 1
SELECT RowKey FROM Devices WHERE Extra LIKE 'text%'

-- OR, CASE, nesting
SELECT RowKey FROM Devices WHERE Slots = 1 OR Owner = 'ann'
SELECT RowKey FROM Devices WHERE PartitionKey = 'site0' OR RowKey = 'd01' OR Weight > 20
SELECT RowKey FROM Devices WHERE PartitionKey = 'site0' AND (Slots = 1 OR Slots > 2)
SELECT RowKey FROM Devices WHERE (PartitionKey = 'site0' AND RowKey = 'd00') OR (PartitionKey = 'site1' AND RowKey = 'd01') OR (PartitionKey = 'site1' AND RowKey >= 'd13')
SELECT RowKey FROM Devices WHERE NOT (Slots = 1 OR Owner = 'ann')
SELECT RowKey FROM Devices WHERE Slots = 1 OR Slots IS NULL
SELECT RowKey, CASE WHEN Weight > 5 THEN 'heavy' WHEN Weight IS NULL THEN 'unknown' ELSE 'light' END FROM Devices WHERE coalesce(Slots, -1) < 2
SELECT RowKey FROM Devices WHERE Slots = 1 AND Slots = 2
SELECT RowKey FROM Devices WHERE Slots = 1 AND Slots = '1' AND Slots < 9

-- ORDER BY, LIMIT, DISTINCT
/*ordered*/ SELECT PartitionKey, RowKey FROM Devices ORDER BY PartitionKey, RowKey
/*ordered*/ SELECT PartitionKey, RowKey FROM Devices ORDER BY PartitionKey DESC, RowKey DESC
/*ordered*/ SELECT PartitionKey, RowKey FROM Devices ORDER BY RowKey, PartitionKey
/*ordered*/ SELECT PartitionKey, RowKey FROM Devices ORDER BY PartitionKey, RowKey LIMIT 5
/*ordered*/ SELECT PartitionKey, RowKey FROM Devices ORDER BY PartitionKey, RowKey LIMIT 7 OFFSET 11
/*ordered*/ SELECT PartitionKey, RowKey FROM Devices ORDER BY PartitionKey, RowKey LIMIT -1 OFFSET 25
/*ordered*/ SELECT RowKey FROM Devices WHERE PartitionKey = 'site2' ORDER BY RowKey
/*ordered*/ SELECT RowKey FROM Devices WHERE PartitionKey = 'site0' ORDER BY RowKey DESC LIMIT 3
/*ordered*/ SELECT PartitionKey, RowKey FROM Devices WHERE PartitionKey IN ('site2', 'site0') ORDER BY PartitionKey, RowKey LIMIT 9
/*ordered*/ SELECT RowKey, Weight FROM Devices WHERE Weight > 0 ORDER BY Weight DESC, RowKey LIMIT 4 OFFSET 1
/*ordered*/ SELECT RowKey, Slots FROM Devices WHERE Slots > 0 AND Owner LIKE 'bob' ORDER BY PartitionKey, RowKey LIMIT 3
/*ordered*/ SELECT PartitionKey, RowKey, Owner FROM Devices ORDER BY Owner COLLATE NOCASE NULLS LAST, PartitionKey, RowKey
/*ordered*/ SELECT RowKey, Seen FROM Devices WHERE Seen IS NOT NULL ORDER BY Seen, RowKey LIMIT 6
/*ordered*/ SELECT DISTINCT PartitionKey FROM Devices ORDER BY PartitionKey
/*ordered*/ SELECT DISTINCT Owner FROM Devices ORDER BY Owner
/*ordered*/ SELECT PartitionKey, RowKey FROM Devices ORDER BY Active, Slots, PartitionKey, RowKey
SELECT DISTINCT PartitionKey, Slots FROM Devices
SELECT DISTINCT PartitionKey FROM Readings WHERE Humidity > 50
SELECT count(*) FROM (SELECT * FROM Devices LIMIT 10)
SELECT count(*) FROM (SELECT * FROM Readings WHERE Humidity > 50 LIMIT 20 OFFSET 5)
SELECT count(*) FROM Readings WHERE Temperature > 18 LIMIT 0

-- Aggregates and windows
SELECT count(*), count(Weight), count(DISTINCT Owner), sum(Slots), total(Slots) FROM Devices
SELECT min(Seen), max(Seen), min(Name), max(Name) FROM Devices
SELECT min(RowKey) FROM Devices
SELECT max(RowKey) FROM Devices WHERE PartitionKey = 'site0'
SELECT max(Serial), min(Serial) FROM Devices
SELECT PartitionKey, count(*), avg(Temperature), min(At), max(At) FROM Readings GROUP BY PartitionKey
SELECT PartitionKey, Quality, count(*) FROM Readings GROUP BY PartitionKey, Quality HAVING count(*) > 3
SELECT Owner COLLATE NOCASE, count(*) FROM Devices GROUP BY Owner COLLATE NOCASE HAVING count(*) > 6
SELECT Quality, group_concat(DISTINCT Humidity % 2) IS NOT NULL FROM Readings GROUP BY Quality
SELECT substr(At, 1, 13), count(*) FROM Readings GROUP BY 1
/*ordered*/ SELECT PartitionKey, RowKey, sum(Humidity) OVER (PARTITION BY PartitionKey ORDER BY RowKey) FROM Readings ORDER BY 1, 2
/*ordered*/ SELECT PartitionKey, RowKey, row_number() OVER (ORDER BY PartitionKey, RowKey) FROM Alerts ORDER BY 3
/*ordered*/ SELECT PartitionKey, RowKey, lag(Temperature) OVER (PARTITION BY PartitionKey ORDER BY RowKey DESC) FROM Readings WHERE PartitionKey < 'd10' ORDER BY 1, 2
SELECT count(*) FILTER (WHERE Quality = 'good'), count(*) FILTER (WHERE Quality IS NULL) FROM Readings

-- Joins of all kinds
SELECT d.RowKey, r.RowKey, r.Temperature FROM Devices d JOIN Readings r ON r.PartitionKey = d.RowKey WHERE d.PartitionKey = 'site1' AND r.RowKey < '0020'
SELECT d.RowKey, r.RowKey FROM Devices d JOIN Readings r ON r.PartitionKey = d.RowKey AND r.RowKey = '0007' WHERE d.Slots > 1
SELECT d.RowKey, a.Message FROM Devices d JOIN Alerts a ON a.Device = d.RowKey
SELECT d.RowKey, a.Message FROM Alerts a LEFT JOIN Devices d ON a.Device = d.RowKey
SELECT d.RowKey, a.Message FROM Alerts a LEFT JOIN Devices d ON a.Device = d.RowKey AND d.Slots = 0
SELECT d.RowKey, a.Message FROM Alerts a LEFT JOIN Devices d ON a.Device = d.RowKey WHERE d.RowKey IS NULL
SELECT d.RowKey, a.RowKey FROM Alerts a RIGHT JOIN Devices d ON a.Device = d.RowKey
SELECT d.PartitionKey, d.RowKey, a.RowKey FROM Alerts a FULL JOIN Devices d ON a.Device = d.RowKey
SELECT d.RowKey, a.RowKey FROM Alerts a FULL JOIN Devices d ON a.Device = d.RowKey WHERE d.Slots IS NOT 1
SELECT d.RowKey, a.Level FROM Devices d JOIN Alerts a ON a.Level = d.Slots
SELECT d.RowKey, a.Level FROM Devices d JOIN Alerts a ON a.Level > d.Slots AND d.PartitionKey = 'site1'
SELECT d.RowKey, r.RowKey FROM Devices d JOIN Readings r ON r.Temperature = d.Weight
SELECT d.RowKey, r.RowKey FROM Devices d, Readings r WHERE d.Seen = r.At AND r.PartitionKey = 'd00'
SELECT count(*) FROM Devices, Alerts
SELECT count(*) FROM Devices d1 JOIN Devices d2 ON d1.Owner = d2.Owner AND d1.rowid < d2.rowid
SELECT d1.RowKey, d2.RowKey FROM Devices d1 JOIN Devices d2 ON d1.Owner = d2.Owner COLLATE NOCASE WHERE d1.Slots = 1 AND d2.Slots = 2
SELECT d1.RowKey, d2.RowKey FROM Devices d1 JOIN Devices d2 ON d1.Code = upper(d2.Code)
SELECT d1.RowKey, d2.RowKey FROM Devices d1 JOIN Devices d2 ON d1.Name = d2.Owner OR d1.Slots = d2.Serial
SELECT d1.RowKey, d2.RowKey FROM Devices d1 JOIN Devices d2 ON d1.Slots IS d2.Slots AND d1.PartitionKey = 'site0' AND d2.PartitionKey = 'site1'
SELECT d.RowKey, count(r.RowKey), max(r.Temperature) FROM Devices d LEFT JOIN Readings r ON r.PartitionKey = d.RowKey GROUP BY d.PartitionKey, d.RowKey
SELECT d.RowKey, a.Message, r.RowKey FROM Devices d JOIN Alerts a ON a.Device = d.RowKey JOIN Readings r ON r.PartitionKey = a.Device AND r.Quality = 'good'
SELECT a.RowKey, r.RowKey FROM Alerts a JOIN Readings r ON r.PartitionKey = a.Device AND r.RowKey > a.RowKey AND r.RowKey < '003' || a.Level
SELECT * FROM Alerts a NATURAL JOIN (SELECT PartitionKey, 1 AS Level FROM Alerts GROUP BY PartitionKey)
SELECT a.RowKey, b.RowKey FROM Alerts a JOIN Alerts b USING (PartitionKey, Level)
SELECT v.x, d.RowKey FROM (VALUES ('d00'), ('d01'), ('zz')) AS q JOIN (SELECT 1 AS x) v LEFT JOIN Devices d ON d.RowKey = q.column1
/*ordered*/ SELECT d.PartitionKey, d.RowKey, a.RowKey FROM Devices d LEFT JOIN Alerts a ON a.Device = d.RowKey ORDER BY d.PartitionKey, d.RowKey, a.PartitionKey, a.RowKey LIMIT 12 OFFSET 3

-- Subqueries, EXISTS, compounds, CTEs
SELECT RowKey FROM Devices WHERE RowKey IN (SELECT Device FROM Alerts)
SELECT RowKey FROM Devices WHERE RowKey NOT IN (SELECT Device FROM Alerts WHERE Device IS NOT NULL)
SELECT RowKey FROM Devices WHERE RowKey NOT IN (SELECT Device FROM Alerts)
SELECT RowKey FROM Devices d WHERE EXISTS (SELECT 1 FROM Readings r WHERE r.PartitionKey = d.RowKey AND r.Temperature > 20)
SELECT RowKey FROM Devices d WHERE NOT EXISTS (SELECT 1 FROM Readings r WHERE r.PartitionKey = d.RowKey)
SELECT RowKey FROM Devices d WHERE EXISTS (SELECT 1 FROM Alerts a WHERE a.Level = d.Slots ORDER BY a.RowKey LIMIT 1)
SELECT RowKey, (SELECT max(r.Temperature) FROM Readings r WHERE r.PartitionKey = d.RowKey) FROM Devices d
SELECT RowKey, (SELECT r.At FROM Readings r WHERE r.PartitionKey = d.RowKey ORDER BY r.RowKey DESC LIMIT 1) FROM Devices d
SELECT RowKey, (SELECT r.RowKey FROM Readings r WHERE r.PartitionKey = d.RowKey ORDER BY r.RowKey LIMIT 1 OFFSET 2) FROM Devices d
SELECT RowKey FROM Devices d WHERE Slots = (SELECT Level FROM Alerts a WHERE a.Device = d.RowKey)
SELECT RowKey FROM Devices WHERE Weight > (SELECT avg(Weight) FROM Devices WHERE Weight < 1e200)
SELECT PartitionKey, RowKey FROM Devices d WHERE (PartitionKey, RowKey) IN (SELECT PartitionKey, max(RowKey) FROM Devices GROUP BY PartitionKey)
SELECT RowKey FROM Devices WHERE Slots = 1 UNION SELECT RowKey FROM Devices WHERE Owner = 'ann'
SELECT RowKey FROM Devices WHERE Slots = 1 UNION ALL SELECT RowKey FROM Devices WHERE Owner = 'ann'
SELECT RowKey FROM Devices INTERSECT SELECT Device FROM Alerts
SELECT RowKey FROM Devices EXCEPT SELECT PartitionKey FROM Readings
/*ordered*/ SELECT RowKey FROM Devices UNION SELECT RowKey FROM Alerts ORDER BY 1 LIMIT 8
/*ordered*/ SELECT RowKey FROM Devices UNION ALL SELECT RowKey FROM Alerts ORDER BY 1 LIMIT 6 OFFSET 4
SELECT count(*) FROM (SELECT RowKey FROM Devices UNION ALL SELECT RowKey FROM Alerts LIMIT 4 OFFSET 3)
WITH hot AS (SELECT PartitionKey, max(Temperature) AS t FROM Readings GROUP BY PartitionKey) SELECT d.RowKey, hot.t FROM hot JOIN Devices d ON d.RowKey = hot.PartitionKey WHERE hot.t > 20
WITH m AS MATERIALIZED (SELECT * FROM Readings WHERE Quality = 'bad') SELECT d.RowKey, m.RowKey FROM Devices d JOIN m ON m.PartitionKey = d.RowKey
WITH RECURSIVE walk(k) AS (SELECT min(RowKey) FROM Readings WHERE PartitionKey = 'd00' UNION ALL SELECT (SELECT min(RowKey) FROM Readings WHERE PartitionKey = 'd00' AND RowKey > k) FROM walk WHERE k IS NOT NULL) SELECT k FROM walk
SELECT RowKey, j.value FROM Alerts, json_each('[1,2,3]') AS j WHERE j.value = Level
SELECT q.RowKey FROM (SELECT * FROM Devices WHERE Slots > 0 ORDER BY Weight LIMIT 100) q WHERE q.Owner = 'bob'
