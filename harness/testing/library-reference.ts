import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../core/project.ts';

const root = projectRoot();
const library = join(root, 'harness', 'library.ts');
const examples = readdirSync(join(root, 'examples'), { encoding: 'utf8', recursive: true })
  .filter((path) => /\.(js|ts)$/.test(path))
  .map((path) => join(root, 'examples', path));

let program: ts.Program | undefined;

/** The library, and the examples as if it were installed. */
function makeProgram(): ts.Program {
  program ??= ts.createProgram([library, ...examples], {
    allowImportingTsExtensions: true,
    allowJs: true,
    checkJs: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noEmit: true,
    paths: {
      crossfarm: [library],
      'crossfarm/*': [join(root, 'harness', '*.ts')],
    },
    skipLibCheck: true,
    strict: true,
    target: ts.ScriptTarget.ES2023,
    types: ['node'],
  });
  return program;
}

/** The mistakes of the examples, as the compiler tells them. */
export function exampleMistakes(): readonly string[] {
  const all = makeProgram();
  return examples.flatMap((path) => {
    const source = all.getSourceFile(path);
    const found = [...all.getSyntacticDiagnostics(source), ...all.getSemanticDiagnostics(source)];
    return found.map(
      ({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}

/** The types that signatures of the library name, and that it does not export. */
export function hiddenTypes(): readonly string[] {
  const checker = makeProgram().getTypeChecker();
  const exported = exportsOf(checker);
  const names = new Set(exported.map(({ name }) => name));
  const known = new Set([...names, ...exported.map((one) => resolve(one, checker).name)]);
  const signatures = exported.flatMap((symbol) => {
    const one = functionOf(resolve(symbol, checker), checker);
    return one === undefined ? [] : [signatureOf(symbol.name, one, symbol, checker)];
  });
  const named = signatures.join('\n').match(/\b[A-Z]\w+/g) ?? [];
  return [...new Set(named)].filter((name) => !known.has(name) && !global.has(name));
}

const global = new Set(['Promise', 'Partial', 'Pick', 'Omit', 'AbortSignal', 'AsyncGenerator']);

function exportsOf(checker: ts.TypeChecker): readonly ts.Symbol[] {
  const source = makeProgram().getSourceFile(library);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${library} exports nothing.`);
  return checker.getExportsOfModule(module).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function resolve(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The part of docs/library.md that lists what the library exports, as Markdown, made from its types. */
export function libraryReference(): string {
  const checker = makeProgram().getTypeChecker();
  const functions: string[] = [];
  const values: string[] = [];
  const types: string[] = [];
  for (const symbol of exportsOf(checker)) {
    const { name } = symbol;
    const meant = resolve(symbol, checker);
    const declared = functionOf(meant, checker);
    if (declared !== undefined) {
      const described = firstSentence(declared, checker);
      functions.push(`- \`${signatureOf(name, declared, symbol, checker)}\`${described}`);
    } else if (meant.flags & (ts.SymbolFlags.Variable | ts.SymbolFlags.Class)) {
      values.push(`- \`${name}\`${firstSentence(meant, checker)}`);
    } else types.push(`\`${name}\``);
  }
  const parts = [
    '### Functions',
    ...functions,
    '### Constants and classes',
    ...values,
    '### Types',
  ];
  return [...parts, types.join(', ')]
    .join('\n')
    .replace(/^(### .*)$/gm, '\n$1\n')
    .trim();
}

/** The declared function of a symbol: its own, or the one that it loads; undefined for all else. */
function functionOf(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol | undefined {
  if (symbol.flags & ts.SymbolFlags.Function) return symbol;
  const [, load, name] =
    callOf(symbol)
      ?.getText()
      .match(/import\('([^']+)'\),\s*'(\w+)'/) ?? [];
  if (load === undefined || name === undefined) return undefined;
  const source = makeProgram().getSourceFile(join(dirname(library), load));
  const module = source && checker.getSymbolAtLocation(source);
  return module && checker.getExportsOfModule(module).find((one) => one.name === name);
}

function callOf({ valueDeclaration }: ts.Symbol): ts.Expression | undefined {
  const isVariable = valueDeclaration !== undefined && ts.isVariableDeclaration(valueDeclaration);
  return isVariable ? valueDeclaration.initializer : undefined;
}

/**
 * As the source declares it, without its body, under the name that the library gives it. Options and
 * callers may be left out where the library completes them.
 */
function signatureOf(
  name: string,
  declared: ts.Symbol,
  exported: ts.Symbol,
  checker: ts.TypeChecker,
): string {
  const declaration = declared.declarations?.find(ts.isFunctionDeclaration);
  if (declaration === undefined) throw new Error(`${declared.name} has no declaration.`);
  const isCompleted = resolve(exported, checker) !== declared;
  const parameters = declaration.parameters.map((one) => {
    const called = ts.isIdentifier(one.name) ? one.name.text : nameByType(one.type);
    const isFilled = isCompleted && /^(options|asked|given|caller)$/.test(called);
    const optional = isFilled || one.questionToken !== undefined || one.initializer !== undefined;
    const type = one.type?.getText() ?? 'unknown';
    const shownName = isFilled && called !== 'caller' ? 'options' : called;
    return `${shownName}${optional ? '?' : ''}: ${isFilled ? `Partial<${type}>` : type}`;
  });
  const text = `${name}(${parameters.join(', ')}): ${declaration.type?.getText() ?? 'unknown'}`;
  return text.replace(/\s+/g, ' ').replace(/,? \)/g, ')').replace(/\( /g, '(');
}

/** A parameter that is taken apart has no name: a list is one of names. */
function nameByType(type: ts.TypeNode | undefined): string {
  if (type?.getText().includes('Caller') === true) return 'caller';
  return type?.getText().includes('[') === true ? 'names' : 'options';
}

function firstSentence(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const sentence = /^[^]*?[.](?=\s|$)/.exec(text)?.[0].replace(/\s+/g, ' ');
  return sentence === undefined ? '' : `: ${sentence}`;
}
