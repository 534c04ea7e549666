export { prepare } from './runtime.js';

export const id = 'password-server';
