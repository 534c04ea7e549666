/** A benchmark whose first metric should equal one of its parameters says which, and in what unit. */
export const truth = `
ALTER TABLE benchmark ADD COLUMN truth_parameter TEXT;
ALTER TABLE benchmark ADD COLUMN truth_unit TEXT
  CHECK ((truth_parameter IS NULL) = (truth_unit IS NULL));
`;
