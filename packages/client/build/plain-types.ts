import { API, type Checker, type Symbol, type Type } from 'typescript/unstable/sync';

// The compiler's NodeBuilderFlags, which its package does not export.
const NO_TRUNCATION = 1;
const MULTILINE = 1_024;
const EXPAND_ALIAS = 1 << 23;
const SINGLE_QUOTES = 1 << 28;
const FORMAT = NO_TRUNCATION | MULTILINE | EXPAND_ALIAS | SINGLE_QUOTES;
/** Type names are capitalized, names of fields are not. */
const UNKNOWN_NAME = /\b(?:any|(?!Date\b|PageOptions\b|Partial\b|Record\b)[A-Z]\w*)\b/;

/**
 * Returns, for each module, declarations of the types that it exports, computed to the end: object types with literal fields
 * instead of types inferred from schemas. They import only the client's own `PageOptions`.
 * @throws Error for a type that can't be computed or names one that the package lacks
 */
export function plainTypes(configFile: string, modules: readonly string[]): string[] {
  const api = new API();
  try {
    const project = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile);
    if (!project) throw new Error(`${configFile} was not opened.`);
    const { checker, program } = project;
    return modules.map(name => {
      const file = program.getSourceFile(name);
      const module = file && checker.getSymbolAtLocation(file);
      if (!module) throw new Error(`${name} is not a module of ${configFile}.`);
      const declarations = checker.getExportsOfModule(module).map(type => declaration(checker, type));
      return `import type { PageOptions } from './pages.js';\n${declarations.join('')}`;
    });
  } finally {
    api.close();
  }
}

function declaration(checker: Checker, symbol: Symbol): string {
  const text = expand(checker, checker.getDeclaredTypeOfSymbol(symbol));
  const [unknown] = text.replaceAll(/'[^']*'|"[^"]*"|`[^`]*`/g, '').match(UNKNOWN_NAME) ?? [];
  if (unknown) throw new Error(`${symbol.name} can't be declared, because ${unknown} is not exported: ${text}`);
  const comment = checker.getDocumentationCommentOfSymbol(symbol);
  return `${comment && `/** ${comment} */\n`}export type ${symbol.name} = ${text};\n`;
}

/** The compiler expands the outermost alias only, so the members of unions and intersections are expanded one by one. */
function expand(checker: Checker, type: Type): string {
  const members = type.isUnionType() || type.isIntersectionType() ? type.getTypes() : undefined;
  if (!members?.every(member => member.isObjectType() || member.isIntersectionType()))
    return checker.typeToString(type, undefined, FORMAT);
  return members.map(member => expand(checker, member)).join(type.isUnionType() ? ' | ' : ' & ');
}
