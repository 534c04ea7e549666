/** Browsers on other machines: how they are reached, on which node a trial ran, how its clock was. */
export const elsewhere = `
ALTER TABLE target ADD COLUMN remote TEXT CHECK (json_type(remote) = 'object');
ALTER TABLE target ADD COLUMN node TEXT CHECK (json_type(node) = 'object');
ALTER TABLE trial ADD COLUMN node TEXT CHECK (json_type(node) = 'object');
ALTER TABLE trial ADD COLUMN clock TEXT CHECK (json_type(clock) = 'object');
`;
