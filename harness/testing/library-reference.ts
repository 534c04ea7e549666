import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from '../core/project.ts';

/** The part of docs/library.md that lists what the library exports, as Markdown, made from its types. */
export function libraryReference(): string {
  const path = join(projectRoot(), 'harness', 'library.ts');
  const program = ts.createProgram([path], {
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noEmit: true,
    target: ts.ScriptTarget.ES2023,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${path} exports nothing.`);
  const symbols = checker
    .getExportsOfModule(module)
    .map((symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    )
    // One that is loaded late is described where it is declared.
    .map((symbol) => functionOf(symbol, checker) ?? symbol)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const functions = symbols.filter((one) => one.flags & ts.SymbolFlags.Function);
  const values = symbols.filter(
    (one) =>
      !functions.includes(one) && one.flags & (ts.SymbolFlags.Variable | ts.SymbolFlags.Class),
  );
  const types = symbols.filter((one) => !functions.includes(one) && !values.includes(one));
  const describe = (symbol: ts.Symbol) => firstSentence(symbol, checker);
  return [
    '### Functions',
    ...functions.map((one) => `- \`${signatureOf(one)}\`${describe(one)}`),
    '### Constants and classes',
    ...values.map((one) => `- \`${one.name}\`${describe(one)}`),
    '### Types',
    types.map(({ name }) => `\`${name}\``).join(', '),
  ]
    .join('\n')
    .replace(/^(### .*)$/gm, '\n$1\n')
    .trim();
}

/** The declared function of a constant that holds one; undefined for all else. */
function functionOf(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol | undefined {
  const declared = checker.getTypeOfSymbol(symbol).getSymbol();
  const isHeld = symbol.flags & ts.SymbolFlags.Variable && declared !== undefined;
  return isHeld && declared.flags & ts.SymbolFlags.Function ? declared : undefined;
}

/** As the source declares it, without its body. */
function signatureOf(symbol: ts.Symbol): string {
  const declaration = symbol.declarations?.find(ts.isFunctionDeclaration);
  if (declaration === undefined) throw new Error(`${symbol.name} has no declaration.`);
  const parameters = declaration.parameters.map((one) => {
    const name = ts.isIdentifier(one.name) ? one.name.text : nameByType(one.type);
    const optional = one.questionToken ?? one.initializer;
    return `${name}${optional ? '?' : ''}: ${one.type?.getText() ?? 'unknown'}`;
  });
  const text = `${symbol.name}(${parameters.join(', ')}): ${declaration.type?.getText() ?? 'unknown'}`;
  return text.replace(/\s+/g, ' ').replace(/,? \)/g, ')').replace(/\( /g, '(');
}

/** A parameter that is taken apart has no name: `Caller` is called caller, other types options or names. */
function nameByType(type: ts.TypeNode | undefined): string {
  if (type?.getText().endsWith('Caller') === true) return 'caller';
  return type !== undefined && ts.isTypeReferenceNode(type) ? 'options' : 'names';
}

function firstSentence(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const sentence = /^[^]*?[.](?=\s|$)/.exec(text)?.[0].replace(/\s+/g, ' ');
  return sentence === undefined ? '' : `: ${sentence}`;
}
