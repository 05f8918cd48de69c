-- Ordinary tables with the rows of the foreign ones, their affinities and their collations; names start with n_.
CREATE TABLE n_Devices(
  PartitionKey TEXT NOT NULL, RowKey TEXT NOT NULL, Timestamp TEXT COLLATE ts_datetime, Name TEXT, Owner TEXT,
  Weight REAL, Slots INTEGER, Serial INTEGER, Active BOOLEAN, Seen TEXT COLLATE ts_datetime,
  Code TEXT COLLATE NOCASE, Raw BLOB, Extra BLOB);
CREATE TABLE n_Readings(
  PartitionKey TEXT NOT NULL, RowKey TEXT NOT NULL, Timestamp TEXT COLLATE ts_datetime, Temperature REAL,
  Humidity INTEGER, Quality TEXT, At TEXT COLLATE ts_datetime);
CREATE TABLE n_Alerts(
  PartitionKey TEXT NOT NULL, RowKey TEXT NOT NULL, Timestamp TEXT COLLATE ts_datetime, Device TEXT, Level INTEGER,
  Message TEXT);
INSERT INTO n_Devices SELECT * FROM Devices;
INSERT INTO n_Readings SELECT * FROM Readings;
INSERT INTO n_Alerts SELECT * FROM Alerts;
