/** Where a device is that is not this machine: a phone, or beside an Appium server elsewhere. */
export const phone = `
ALTER TABLE target ADD COLUMN phone TEXT CHECK (json_type(phone) = 'object');
ALTER TABLE target ADD COLUMN device_server TEXT;
`;
