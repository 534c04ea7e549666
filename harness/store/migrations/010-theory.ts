/** What theory says of a benchmark's growth per step, by value of the parameter with one curve each. */
export const theory = `
ALTER TABLE benchmark ADD COLUMN growth_theory TEXT
  CHECK (growth_theory IS NULL
    OR (growth_over IS NOT NULL AND json_type(growth_theory) = 'object'));
`;
