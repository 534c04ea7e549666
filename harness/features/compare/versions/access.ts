import { readFileSync, statSync } from 'node:fs';
import { shellWord } from '../../../core/app/run/repeat-command.ts';
import type { SiteAccess } from '../../../../drivers/driver.ts';
import { errorText, FarmError } from '../../../core/errors.ts';
import type { Version } from './resolve.ts';

/**
 * Headers, cookies, users and certificates for pages at URLs. Texts may hold `$NAME` of the
 * environment, or be `@file`.
 */
export interface AccessOptions {
  /** `Name: value`. */
  readonly header?: readonly string[];
  /** `name=value`. */
  readonly cookie?: readonly string[];
  /** `user:password`. */
  readonly basicAuth?: string;
  /** Certificates are not looked at. */
  readonly insecure?: boolean;
  /** A file with the certificate of the authority that has signed those of the pages. */
  readonly ca?: string;
}

/** The values of these options, and the arguments that repeat them without the values. */
export interface Access {
  readonly site: Omit<SiteAccess, 'origin'>;
  readonly arguments: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the options. No message has a value in it.
 * @throws FarmError `bad-argument`
 */
export function readAccess(options: AccessOptions, environment: Environment = process.env): Access {
  const { header = [], cookie = [], basicAuth, insecure = false, ca } = options;
  if (insecure && ca !== undefined) {
    throw refuse(
      '--insecure takes any certificate, so that --ca says nothing beside it.',
      'Leave one of them out.',
    );
  }
  const headers = header.flatMap((text) => entriesOf(text, headerForm, environment));
  const cookies = cookie.flatMap((text) => entriesOf(text, cookieForm, environment));
  const users = basicAuth === undefined ? [] : entriesOf(basicAuth, userForm, environment);
  return {
    site: { ...siteOf({ headers, cookies, users }), ...(insecure && { certificates: 'any' }) },
    arguments: [
      ...new Set([...headers, ...cookies, ...users].map((one) => one.argument)),
      ...(insecure ? ['--insecure'] : []),
      ...(ca === undefined ? [] : [`--ca ${shellWord(ca)}`]),
    ],
  };
}

function siteOf({
  headers,
  cookies,
  users: [user],
}: Readonly<Record<'headers' | 'cookies' | 'users', readonly Entry[]>>): Access['site'] {
  return {
    ...(headers.length > 0 && { headers: recordOf(headers) }),
    ...(cookies.length > 0 && { cookies: recordOf(cookies) }),
    ...(user && { user: { name: user.name, password: user.value } }),
  };
}

interface Form {
  readonly option: string;
  readonly shape: string;
  readonly between: ':' | '=';
  readonly name: RegExp;
  readonly value: RegExp;
  /** Names that mean something else, and what to do about it. */
  readonly reserved?: ReadonlyMap<string, string>;
  /** The argument that repeats it without its value. */
  readonly again: (name: string, value: string) => string;
}

const token = /^[\w!#$%&'*+.^`|~-]+$/;
const ofTheConnection = 'The browser writes it itself: leave it out.';

const headerForm: Form = {
  option: '--header',
  shape: 'Name: value',
  between: ':',
  name: token,
  value: /^[\t\x20-\x7e\x80-\xff]*$/,
  reserved: new Map([
    ['cookie', 'Use --cookie name=value.'],
    ...[
      'host',
      'content-length',
      'connection',
      'transfer-encoding',
      'upgrade',
      'te',
      'trailer',
    ].map((name) => [name, ofTheConnection] as const),
  ]),
  again: (name, value) => `${name}: ${value}`,
};

const cookieForm: Form = {
  option: '--cookie',
  shape: 'name=value',
  between: '=',
  name: token,
  value: /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/,
  again: (name, value) => `${name}=${value}`,
};

const userForm: Form = {
  option: '--basic-auth',
  shape: 'user:password',
  between: ':',
  name: /^[^\p{Cc}:]+$/u,
  value: /^\P{Cc}*$/u,
  // The user's name is half of the secret, unless the password was a variable.
  again: (name, value) => (value === '$BASIC_AUTH' ? value : `${name}:${value}`),
};

interface Entry {
  readonly name: string;
  readonly value: string;
  readonly argument: string;
}

function entriesOf(text: string, form: Form, environment: Environment): readonly Entry[] {
  if (!text.startsWith('@')) return [entryOf(text, form, environment)];
  const lines = readSecrets(text.slice(1), form).split(/\r?\n/);
  const argument = `${form.option} ${shellWord(text)}`;
  return lines
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => ({ ...entryOf(line, form, null), argument }));
}

/** With the environment null, as it stands: what is in a file is the value itself. */
function entryOf(text: string, form: Form, environment: Environment | null): Entry {
  const { option, shape, between, reserved } = form;
  const whole = environment !== null && isReference(text);
  const told = whole ? expand(text, option, environment) : text;
  const at = told.indexOf(between);
  const name = told.slice(0, at).trim();
  if (at < 1 || !form.name.test(name)) throw refuse(`${option} is no ${shape}.`, usual(form));
  const instead = reserved?.get(name.toLowerCase());
  if (instead !== undefined) throw refuse(`${option} cannot be ${name}.`, instead);
  const said = told.slice(at + 1).trim();
  const value = environment === null || whole ? said : expand(said, option, environment);
  if (!form.value.test(value)) {
    throw refuse(`The value of ${option} ${name} has characters that cannot be sent.`, usual(form));
  }
  const again = whole ? text : form.again(name, isReference(said) ? said : variableFor(name, form));
  return { name, value, argument: `${option} ${shellWord(again)}` };
}

function usual({ option, shape }: Form): string {
  return `Such as ${option} '${shape}'; ${shape.replace(/\w+$/, '$SECRET')} takes it from the environment, and @file from a file.`;
}

const variable = /\$(?:([A-Z_][A-Z0-9_]*)|\{([A-Z_][A-Z0-9_]*)\})/g;

/** True for a value whose whole secret is a variable, perhaps after the name of a scheme. */
function isReference(text: string): boolean {
  return (
    /^(?:(?:Bearer|Basic|Token) )?\$(?:[A-Z_][A-Z0-9_]*|\{[A-Z_][A-Z0-9_]*\})$/i.test(text) &&
    text.match(variable)?.length === 1
  );
}

/** The variable from which a repetition takes a value of the command line. */
function variableFor(name: string, { option }: Form): string {
  const from = option === '--basic-auth' ? 'BASIC_AUTH' : name;
  return `$${from
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '_')
    .replace(/^(?=\d)/, '_')}`;
}

function expand(text: string, option: string, environment: Environment): string {
  return text.replace(variable, (_all, plain?: string, braced?: string) => {
    const name = plain ?? braced ?? '';
    const value = environment[name];
    if (value !== undefined) return value;
    throw refuse(
      `${option} names $${name}, which is not in the environment.`,
      `Set ${name}, or give a value with a $ of its own in a file: ${option} @file.`,
    );
  });
}

const mostBytes = 64 * 1024;

/** @throws FarmError `bad-argument` */
export function readSecrets(path: string, { option }: Pick<Form, 'option'>): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size > mostBytes) {
    throw refuse(
      `${path}, the file of ${option}, is not there, or no file of at most 64 kB.`,
      'Check the path.',
    );
  }
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw refuse(
      `${path}, the file of ${option}, cannot be read: ${errorText(error)}.`,
      'Check the path.',
    );
  }
}

function recordOf(entries: readonly Entry[]): Readonly<Record<string, string>> {
  return Object.fromEntries(entries.map(({ name, value }) => [name, value]));
}

export function refuse(what: string, next: string): FarmError {
  return new FarmError('bad-argument', { what, next });
}

/** A user that stood in an address stands in no command. */
export function accessArguments(
  versions: readonly Version[],
  { access, isolation }: { readonly access: Access; readonly isolation?: boolean | undefined },
): readonly string[] {
  const users = versions.filter(({ place }) => place.kind === 'url' && place.access?.user);
  const isInAddress = access.site.user === undefined && users.length > 0;
  return [
    ...access.arguments,
    ...(isInAddress ? [`--basic-auth '$BASIC_AUTH'`] : []),
    ...(isolation === false ? ['--no-isolation'] : []),
  ];
}
