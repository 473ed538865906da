import { relative } from 'node:path';
import ts from 'typescript';

/** An operation of the API as its controller has it. */
export interface Operation {
  /** As the description names it, such as `Experiments_Create`. */
  readonly name: string;
  readonly isMarked: boolean;
  /** Whether something that it may call asks for a workflow to be started. */
  readonly starts: boolean;
}

const ROUTE = 'Route';
const MARK = 'x-long-work';
const IS_FOLLOWED = /^(api|models)\//;

/** Follows every name that the code of an operation mentions, through services and commands, as the compiler resolves it. */
export function operationsOf(root: string): Operation[] {
  const files = ts.sys.readDirectory(root, ['.ts'], undefined, ['api/**/*.controller.ts']);
  const program = openOwnCode(files);
  const sources = program
    .getSourceFiles()
    .filter(({ fileName }) => IS_FOLLOWED.test(relative(root, fileName)));
  const graph = new Mentions(program.getTypeChecker(), sources);
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    return source === undefined ? [] : operationsIn(source, (method) => graph.reaches(method, isStart));
  });
}

/** Without libraries: only what is ours is followed, and reading theirs would take most of the time. */
function openOwnCode(files: readonly string[]): ts.Program {
  const options = { noLib: true, types: [], module: ts.ModuleKind.NodeNext, experimentalDecorators: true };
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, from, options, host) : { resolvedModule: undefined },
    );
  return ts.createProgram(files, options, host);
}

function operationsIn(source: ts.SourceFile, starts: (method: ts.Node) => boolean): Operation[] {
  const controllers = source.statements
    .filter(ts.isClassDeclaration)
    .filter((one) => hasDecorator(one, ROUTE));
  return controllers.flatMap((controller) => {
    const group = controller.name?.text.replace(/Controller$/, '') ?? '';
    const methods = controller.members
      .filter(ts.isMethodDeclaration)
      .filter((one) => hasDecorator(one, 'Security'));
    return methods.map((method) => {
      const verb = method.name.getText();
      const name = `${group}_${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
      return { name, isMarked: hasDecorator(method, 'Extension', MARK), starts: starts(method) };
    });
  });
}

function hasDecorator(node: ts.HasDecorators, name: string, first?: string): boolean {
  return (ts.getDecorators(node) ?? []).some(({ expression }) => {
    if (!ts.isCallExpression(expression) || expression.expression.getText() !== name) return false;
    const [argument] = expression.arguments;
    return (
      first === undefined ||
      (argument !== undefined && ts.isStringLiteral(argument) && argument.text === first)
    );
  });
}

/** `kind: 'start'` of a dispatch entry. */
const isStart = (node: ts.Node): boolean =>
  ts.isPropertyAssignment(node) &&
  node.name.getText() === 'kind' &&
  /^'start'/.test(node.initializer.getText()) &&
  ts.isObjectLiteralExpression(node.parent);

class Mentions {
  private readonly known = new Map<ts.Node, { found: boolean; next: Set<ts.Node> }>();
  private readonly ours: ReadonlySet<ts.SourceFile>;
  /** Members of classes by the member of the interface that they implement. */
  private readonly implementations = new Map<ts.Node, ts.Node[]>();

  constructor(
    private readonly checker: ts.TypeChecker,
    sources: readonly ts.SourceFile[],
  ) {
    this.ours = new Set(sources);
    for (const source of sources)
      for (const one of source.statements.filter(ts.isClassDeclaration))
        for (const { types } of one.heritageClauses ?? [])
          for (const type of types) this.noteMembers(one, checker.getTypeAtLocation(type));
  }

  private noteMembers(from: ts.ClassDeclaration, of: ts.Type): void {
    for (const member of from.members) {
      if (!member.name || !ts.isIdentifier(member.name)) continue;
      for (const asked of of.getProperty(member.name.text)?.declarations ?? [])
        this.implementations.set(asked, [...(this.implementations.get(asked) ?? []), member]);
    }
  }

  reaches(start: ts.Node, isGoal: (node: ts.Node) => boolean): boolean {
    const seen = new Set([start]);
    for (const node of seen) {
      const { found, next } = this.read(node, isGoal);
      if (found) return true;
      for (const each of next) seen.add(each);
    }
    return false;
  }

  private read(declaration: ts.Node, isGoal: (node: ts.Node) => boolean) {
    const before = this.known.get(declaration);
    if (before) return before;
    const read = { found: false, next: new Set(this.implementations.get(declaration)) };
    this.known.set(declaration, read);
    const visit = (node: ts.Node): void => {
      if (isGoal(node)) read.found = true;
      if (ts.isIdentifier(node)) for (const each of this.declarationsOf(node)) read.next.add(each);
      if (!ts.isTypeNode(node)) ts.forEachChild(node, visit);
    };
    visit(declaration);
    return read;
  }

  /** Functions, methods and constants; types and classes as a whole say nothing of what is called. */
  private declarationsOf(name: ts.Identifier): ts.Node[] {
    const symbol = this.checker.getSymbolAtLocation(name);
    const target =
      symbol && symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
    return (target?.declarations ?? []).filter(
      (each) =>
        this.ours.has(each.getSourceFile()) &&
        (ts.isFunctionLike(each) ||
          ts.isVariableDeclaration(each) ||
          ts.isPropertyDeclaration(each) ||
          ts.isPropertySignature(each)),
    );
  }
}
