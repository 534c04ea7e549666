/** Which parameter is the amount of work, and which values of another are set against its base. */
export const crossover = `
ALTER TABLE benchmark ADD COLUMN crossover TEXT
  CHECK (crossover IS NULL OR json_type(crossover) = 'object');
`;
