-- Keys
SELECT Temperature FROM readings WHERE PartitionKey = 'dev03' AND RowKey = 'r0007'
SELECT * FROM readings WHERE PartitionKey = 'dev03' AND RowKey = 'none'
SELECT Temperature FROM readings WHERE PartitionKey = 'dev03'
SELECT Temperature FROM readings WHERE PartitionKey = 'dev03' AND RowKey >= 'r0100' AND RowKey < 'r0110'
SELECT Temperature FROM readings WHERE PartitionKey = 'dev03' AND RowKey BETWEEN 'r0100' AND 'r0110'
SELECT Temperature FROM readings WHERE PartitionKey = 'dev03' AND RowKey > 'r0490'
SELECT Temperature FROM readings WHERE PartitionKey = 'dev03' AND RowKey GLOB 'r004*'
SELECT Temperature FROM readings WHERE PartitionKey = 'dev03' AND RowKey LIKE 'R004%'
SELECT Temperature FROM readings WHERE PartitionKey = 'dev03' AND RowKey IN ('r0001', 'r0002', 'none')
SELECT Temperature FROM readings WHERE PartitionKey IN ('dev01', 'dev04', 'none')
SELECT Temperature FROM readings WHERE PartitionKey IN ('dev01', 'dev04') AND RowKey = 'r0001'
SELECT Temperature FROM readings WHERE PartitionKey = 'dev01' OR PartitionKey = 'dev02'
SELECT Temperature FROM readings WHERE PartitionKey = 'dev01' OR RowKey = 'r0001'
SELECT Temperature FROM readings WHERE PartitionKey > 'dev03'
SELECT Temperature FROM readings WHERE PartitionKey LIKE 'dev0%' AND RowKey = 'r0001'
SELECT Temperature FROM readings WHERE (PartitionKey, RowKey) = ('dev01', 'r0001')
SELECT Temperature FROM readings WHERE (PartitionKey, RowKey) > ('dev04', 'r0498')
SELECT Temperature FROM readings WHERE PartitionKey = 'dev01' AND RowKey IS 'r0001'
SELECT Temperature FROM readings WHERE PartitionKey = 'dev01' AND RowKey <> 'r0001'
SELECT Temperature FROM readings WHERE PartitionKey = 'DEV01' COLLATE NOCASE AND RowKey = 'r0001'
SELECT Temperature FROM readings WHERE PartitionKey = NULL
SELECT Temperature FROM readings WHERE PartitionKey IS NULL
SELECT Temperature FROM readings WHERE PartitionKey = 'dev01' AND RowKey = 5
SELECT Temperature FROM readings WHERE PartitionKey = 'a/b' AND RowKey = 'r'
SELECT Temperature FROM readings WHERE PartitionKey > 'dev03' AND PartitionKey < 'dev01'
-- Properties
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Count = 7
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Count IN (7, 8, 9)
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Count > 490 AND Count <= 495
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Count <> 7
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Count = 7.0
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Count = '7'
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Count > 7.5
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Count = 'x'
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Seq = 5000000007
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Temperature > 24.5
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Location = 'it''s hall 1'
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Location >= 'it''s hall 2'
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Location LIKE 'it%'
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Active = 1
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND At >= '2024-06-15T00:08:00Z'
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND At = datetime('2024-06-15', '+7 minutes')
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Note IS NULL
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Note IS NOT NULL
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND lower(Location) = 'it''s hall 1'
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND (Count = 7 OR Temperature > 24.9)
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND NOT Count = 7
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Count + 0 = 7
SELECT RowKey FROM readings WHERE Count = 7
SELECT RowKey FROM readings WHERE Count = 7 OR Count = 8
SELECT RowKey FROM readings WHERE _filter = 'Count eq 7 or (Active eq true and Temperature gt 24.8)'
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND _filter = 'Note ne ''x'''
SELECT RowKey FROM readings WHERE Timestamp > '2100-01-01'
-- What is fetched
SELECT count(*) FROM readings
SELECT count(*) FROM readings WHERE PartitionKey = 'dev01'
SELECT count(Temperature) FROM readings WHERE PartitionKey = 'dev01'
SELECT EXISTS (SELECT 1 FROM readings WHERE PartitionKey = 'dev01')
SELECT PartitionKey, RowKey FROM readings WHERE PartitionKey = 'dev01'
SELECT Timestamp > '2000' FROM readings WHERE PartitionKey = 'dev01' AND RowKey = 'r0001'
SELECT _etag IS NOT NULL FROM readings WHERE PartitionKey = 'dev01' AND RowKey = 'r0001'
SELECT _properties FROM readings WHERE PartitionKey = 'dev01' AND RowKey = 'r0001'
SELECT t FROM (SELECT Temperature AS t, Count, Location FROM readings WHERE PartitionKey = 'dev01')
WITH q AS (SELECT * FROM readings WHERE PartitionKey = 'dev01') SELECT Count FROM q
-- Order and limits
SELECT RowKey FROM readings ORDER BY PartitionKey, RowKey LIMIT 3
SELECT RowKey FROM readings ORDER BY PartitionKey, RowKey LIMIT 3 OFFSET 5
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' ORDER BY RowKey LIMIT 3
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' ORDER BY RowKey DESC LIMIT 3
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' ORDER BY Temperature LIMIT 3
SELECT RowKey FROM readings LIMIT 3
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' AND Count > 100 LIMIT 3
SELECT min(RowKey) FROM readings WHERE PartitionKey = 'dev01'
SELECT max(RowKey) FROM readings WHERE PartitionKey = 'dev01'
SELECT Location, avg(Temperature) FROM readings WHERE PartitionKey = 'dev01' GROUP BY Location
SELECT PartitionKey, count(*) FROM readings GROUP BY PartitionKey
SELECT RowKey FROM readings WHERE PartitionKey = 'dev01' UNION ALL SELECT RowKey FROM readings WHERE PartitionKey = 'dev02' LIMIT 3
-- Joins
SELECT d.Model, r.Temperature FROM devices d JOIN readings r ON r.PartitionKey = d.RowKey AND r.RowKey = 'r0001' WHERE d.PartitionKey = 'east'
SELECT d.Model, avg(r.Temperature) FROM devices d JOIN readings r ON r.PartitionKey = d.RowKey WHERE d.PartitionKey = 'east' GROUP BY d.Model
SELECT d.Model, avg(r.Temperature) FROM readings r JOIN devices d ON d.RowKey = r.PartitionKey GROUP BY d.Model
SELECT count(*) FROM readings a CROSS JOIN readings b ON b.Count = a.Count WHERE a.PartitionKey = 'dev01'
SELECT count(*) FROM readings a CROSS JOIN readings b ON b.PartitionKey = 'dev02' AND b.RowKey = a.RowKey WHERE a.PartitionKey = 'dev01'
SELECT count(*) FROM keys k JOIN readings r ON r.PartitionKey = k.p AND r.RowKey = k.r
SELECT count(*) FROM keys k LEFT JOIN readings r ON r.PartitionKey = k.p AND r.RowKey = k.r
SELECT count(*) FROM keys k JOIN devices d ON d.RowKey = k.p
SELECT count(*) FROM devices d RIGHT JOIN keys k ON d.RowKey = k.p
SELECT count(*) FROM devices d FULL JOIN keys k ON d.RowKey = k.p
SELECT count(*) FROM devices a CROSS JOIN devices b
SELECT count(*) FROM devices a JOIN devices b ON a.Model = b.Model AND a.RowKey < b.RowKey
SELECT count(*) FROM devices d JOIN readings r ON r.PartitionKey = d.RowKey JOIN keys k ON k.r = r.RowKey
-- Subqueries
SELECT count(*) FROM devices d WHERE EXISTS (SELECT 1 FROM readings r WHERE r.PartitionKey = d.RowKey AND r.Count = 7)
SELECT count(*) FROM keys k WHERE EXISTS (SELECT 1 FROM devices d WHERE d.RowKey = k.p)
SELECT count(*) FROM keys k WHERE NOT EXISTS (SELECT 1 FROM devices d WHERE d.RowKey = k.p)
SELECT d.RowKey, (SELECT max(Temperature) FROM readings r WHERE r.PartitionKey = d.RowKey) FROM devices d
SELECT d.RowKey, (SELECT RowKey FROM readings r WHERE r.PartitionKey = d.RowKey ORDER BY RowKey LIMIT 1) FROM devices d WHERE d.PartitionKey = 'east'
SELECT count(*) FROM readings WHERE PartitionKey IN (SELECT RowKey FROM devices WHERE PartitionKey = 'east')
SELECT count(*) FROM readings WHERE PartitionKey = 'dev01' AND RowKey IN (SELECT r FROM keys)
SELECT count(*) FROM readings WHERE PartitionKey = (SELECT RowKey FROM devices WHERE PartitionKey = 'west' LIMIT 1)
SELECT count(*) FROM readings WHERE Count IN (SELECT N FROM devices)
