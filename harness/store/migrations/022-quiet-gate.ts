/** How long a trial waited for a quiet machine. */
export const quietGate = `
ALTER TABLE trial ADD COLUMN waited_ms INTEGER CHECK (waited_ms >= 0);
`;
