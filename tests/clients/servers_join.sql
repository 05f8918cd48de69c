SELECT d.Name, count(*), max(r.Temperature) FROM Devices d JOIN Readings r ON r.PartitionKey = d.RowKey
WHERE d.PartitionKey = 'site0' AND d.RowKey < 'd06' GROUP BY d.RowKey ORDER BY d.RowKey
