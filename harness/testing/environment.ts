/**
 * Does something while variables of this process have other values; each is put back by itself, because
 * an object in place of `process.env` would no longer be the environment.
 * @param variables undefined takes one away
 */
export async function withEnvironment<T>(
  variables: Readonly<Record<string, string | undefined>>,
  work: () => Promise<T>,
): Promise<T> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.entries(variables).forEach(set);
  try {
    return await work();
  } finally {
    before.forEach(set);
  }
}

function set([name, value]: readonly [string, string | undefined]): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}
