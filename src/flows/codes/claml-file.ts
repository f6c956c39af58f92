// Reads the ICD-10 of the WHO as ClaML. Fourth characters that the file defines once for many categories (`.9` of E10 to E14) become codes
// of their own; further optional characters are counted only.
import type { OfficialCode } from '../../domain/coding/official-codes.ts';
import { type Claml, type ClamlClass, ClamlClasses, type ModifiedBy } from './claml-classes.ts';
import { type CodeFileSummary, readCode, wrongFile } from './code-file.ts';
import { XmlEvents } from './xml-events.ts';

const ENCODING = /^\s*<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;
const ENCODINGS: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  'us-ascii': 'utf-8',
  'iso-8859-1': 'windows-1252',
  'windows-1252': 'windows-1252',
};
/** Daggers, asterisks and other marks of usage behind a code. */
const MARKS = /[+*!#†‡]+$/;

export async function* readClaml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<OfficialCode, CodeFileSummary> {
  const xml = new XmlEvents();
  const classes = new ClamlClasses();
  for await (const text of decodeXml(bytes)) {
    for (const event of xml.write(text)) classes.take(event);
  }
  xml.end();
  return yield* codesOf(classes.end());
}

async function* decodeXml(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decode: ReturnType<typeof makeDecoder> | undefined;
  for await (const piece of bytes) {
    decode ??= makeDecoder(piece);
    yield decode(piece);
  }
  yield decode?.() ?? '';
}

/** Without an argument: the end. */
function makeDecoder(head: Uint8Array): (piece?: Uint8Array) => string {
  const named = ENCODING.exec(Buffer.from(head.subarray(0, 300)).toString('latin1'))?.[1] ?? 'utf-8';
  const encoding = ENCODINGS[named.toLowerCase()];
  if (encoding === undefined) throw wrongFile('The encoding of the XML must be UTF-8 or ISO-8859-1.');
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (piece) => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw wrongFile('The file is not encoded as its XML declaration says.');
    }
  };
}

type Context = {
  readonly claml: Claml;
  readonly byCode: ReadonlyMap<string, ClamlClass>;
  /** The codes of all classes, with their dots. */
  readonly written: ReadonlySet<string | undefined>;
  readonly parents: ReadonlySet<string | undefined>;
};

function* codesOf(claml: Claml): Generator<OfficialCode, CodeFileSummary> {
  const { classes } = claml;
  const context: Context = {
    claml,
    byCode: new Map(classes.map((one) => [one.code, one])),
    written: new Set(classes.map(codeOf)),
    parents: new Set(classes.map(({ parent }) => parent)),
  };
  let skipped = 0;
  let ignoredModifiers = 0;
  for (const one of classes) {
    const code = codeOf(one);
    if (code === undefined) {
      skipped += 1;
      continue;
    }
    const display = one.preferredLong ?? one.preferred;
    if (display === undefined) throw wrongFile(`The category ${code} has no preferred name.`);
    const isLeaf = !context.parents.has(one.code);
    const { further, ignored } = isLeaf ? modify({ one, code, display }, context) : { further: [], ignored: 0 };
    ignoredModifiers += ignored;
    yield { code, display, isBillable: isLeaf && further.length === 0 };
    yield* further;
  }
  return { ...(claml.version !== undefined && { version: claml.version }), skipped, ignoredModifiers };
}

/** Undefined for a chapter or a block. */
function codeOf({ code, kind }: ClamlClass): string | undefined {
  return kind.toLowerCase() === 'category' ? readCode(code.replace(MARKS, '')) : undefined;
}

type Modified = { readonly one: ClamlClass; readonly code: string; readonly display: string };

function modify(
  { one, code, display }: Modified,
  context: Context,
): { readonly further: readonly OfficialCode[]; readonly ignored: number } {
  const modifiers = modifiersOf(one, context);
  const fourth = code.length === 3 ? modifiers.find(({ modifier }) => isFourth(modifier, context)) : undefined;
  const classes = (fourth && context.claml.modifiers.get(fourth.modifier)) ?? [];
  const further = classes.flatMap(({ code: added, name }): readonly OfficialCode[] => {
    const longer = readCode(`${code}.${added.replace(/^\./, '')}`);
    const isValid = fourth === undefined || fourth.valid.length === 0 || fourth.valid.includes(added);
    if (!isValid || longer === undefined || name === undefined || context.written.has(longer)) return [];
    return [{ code: longer, display: `${display}: ${name}`, isBillable: true }];
  });
  return { further, ignored: modifiers.length - (fourth === undefined ? 0 : 1) };
}

/** Modifiers for the fourth character are named so, or their classes begin with the dot. */
function isFourth(modifier: string, { claml }: Context): boolean {
  const classes = claml.modifiers.get(modifier) ?? [];
  return classes.length > 0 && (modifier.endsWith('_4') || classes.every(({ code }) => code.startsWith('.')));
}

/** Those of the class and of what is above it, without those that a class on the way excludes. */
function modifiersOf(one: ClamlClass, { byCode }: Context): readonly ModifiedBy[] {
  const path: ClamlClass[] = [];
  for (let at: ClamlClass | undefined = one; at !== undefined && !path.includes(at); ) {
    path.unshift(at);
    at = at.parent === undefined ? undefined : byCode.get(at.parent);
  }
  return path.reduce<readonly ModifiedBy[]>(
    (found, { modifiedBy, excluded }) => [
      ...found.filter(({ modifier }) => !excluded.includes(modifier)),
      ...modifiedBy,
    ],
    [],
  );
}
