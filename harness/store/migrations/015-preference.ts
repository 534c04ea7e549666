/** Drivers that come before the one that was taken, in the owner's order, and why each was not. */
export const preference = `
ALTER TABLE target ADD COLUMN passed_over TEXT
  CHECK (passed_over IS NULL OR (status = 'found'
    AND json_type(passed_over) = 'array' AND json_array_length(passed_over) > 0));
`;
