/** What is told of a phone beside the state that every machine tells. */
export const phoneReading = `
CREATE TABLE phone_reading (
  trial_id INTEGER PRIMARY KEY,
  probe TEXT NOT NULL GENERATED ALWAYS AS ('environment') VIRTUAL,
  clock_offset_ms REAL NOT NULL,
  clock_error_ms REAL NOT NULL CHECK (clock_error_ms >= 0),
  battery_percent REAL,
  powered INTEGER CHECK (powered IN (0, 1)),
  battery_celsius REAL,
  thermal_status INTEGER,
  FOREIGN KEY (trial_id, probe) REFERENCES probe_reading (trial_id, probe) ON DELETE CASCADE
) STRICT;
`;
