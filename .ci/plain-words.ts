// Refuses words that a reader outside of the project has to decode: in comments, titles of tests, messages and documents.
// CONTRIBUTING.md has the rule and examples. Paths as arguments limit what is read: `node .ci/plain-words.ts src/flows`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

type Place = { readonly line: number; readonly text: string };

/** What is refused, with the words to write in its place. */
const RETIRED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(whoever|whomever|whosoever)\b/i, 'name who: the caller, the operator, a process'],
  [/\b(nobody|somebody|anybody|everybody)\b/i, 'name who, or use the passive: no process, a person, is not read'],
  [/\b(stands|stood)\b(?! for\b)/i, 'is, is stored, is in, says'],
  [/\b(is|are|was|were|be|being|been) told\b/i, 'is reported, is logged, is notified, knows'],
  [/\bamiss\b/i, 'wrong, a discrepancy'],
  [/\bheed(s|ed|ing)?\b/i, 'track, follow'],
  [/\b(buried|knocks?)\b/i, 'the ordinary word'],
  [/\bset(s|ting)? aside\b|\bset-aside\b/i, 'quarantine, quarantined'],
  [/\b(takes?|taken|took|taking) back\b/i, 'retract, withdraw'],
  [/\brungs?\b/i, 'write strategy'],
  [/\bservice lines?\b/i, 'circuit'],
  [/^type (Known|Said|Told|Asked|Heard|Kept|Given)$/, 'a noun that can be searched for'],
];

const RETIRED_TYPES = /\btype (Known|Said|Told|Asked|Heard|Kept|Given)\b/;

const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))(.*)|\s\/\/ (.*)$|\/\*\*? (.*?)\*\/|\{\/\* (.*?) \*\/\}/;
const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`?/g;
/** The call that makes a test or a group of tests, up to its first parenthesis. */
const TEST_CALL = /(?<![.\w])(?:it|test|describe)((?:\.\w+)*)(?:<[^()]{0,300}>)?\(/g;
/** What may contain a parenthesis that closes nothing: comments, strings and regular expressions. */
const TOKEN = new RegExp(
  [/\/\/.*|\/\*[\s\S]*?\*\//, STRING, /(?<=[(,=:[!&|?]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n\\[])+\//, /[()]/]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Rooms whose strings are words of patients and clinicians. */
const CLINICAL = ['src/rules/', 'src/clinical-text/', 'src/sandbox/patients/', 'src/domain/note/check/'];
/** Data and generated files, and this list itself. */
const EXEMPT =
  /^(knowledge\/|src\/sandbox\/patients\/.*\.yaml|mappings\/.*\/tests\/|test\/eval\/sets\/|test\/eval\/claims\/.*\.yaml|test\/fixtures\/|package-lock\.json|LICENSE|\.ci\/plain-words\.ts|test\/ci\/plain-words\.test\.ts)/;

const roots = process.argv.slice(2);
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...roots], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
  .split('\n')
  .filter((file) => !EXEMPT.test(file) && existsSync(file) && isRead(file));

const problems = files.flatMap((file) =>
  placesOf(file).flatMap(({ line, text }) =>
    RETIRED.filter(([pattern]) => pattern.test(text)).map(
      ([pattern, instead]) => `${file}:${line}: "${pattern.exec(text)?.[0]}": write ${instead}`,
    ),
  ),
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) console.error(`${problems.length} retired words`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Files of text that people read. A script without an ending begins with `#!`. */
function isRead(file: string): boolean {
  if (/\.(tsx?|m?js|css|sql|sh|md|ya?ml|html)$/.test(file)) return true;
  const name = path.basename(file);
  if (/^Dockerfile(\.|$)/.test(name)) return true;
  return !name.includes('.') && statSync(file).isFile() && readFileSync(file, 'utf8').startsWith('#!');
}

function placesOf(file: string): readonly Place[] {
  const source = readFileSync(file, 'utf8');
  const lines = source.split('\n');
  if (!/\.tsx?$/.test(file)) return lines.map((text, at) => ({ line: at + 1, text }));
  const isTest = file.startsWith('test/');
  const places = lines.flatMap((text, at) => {
    const parts = [commentOf(text), isTest ? '' : stringsOf(file, text), RETIRED_TYPES.exec(text)?.[0] ?? ''];
    return parts.filter((part) => part !== '').map((part) => ({ line: at + 1, text: part }));
  });
  return isTest ? [...places, ...titlesOf(source)] : places;
}

function commentOf(text: string): string {
  return (
    COMMENT.exec(text)
      ?.slice(1)
      .find((part) => part !== undefined) ?? ''
  );
}

/** The titles of tests, also those on a line of their own and those behind the table of `each`. */
function titlesOf(source: string): readonly Place[] {
  return [...source.matchAll(TEST_CALL)].flatMap(({ 0: call, 1: chain = '', index }) => {
    const first = index + call.length;
    const start = chain.endsWith('.each') ? afterTable(source, first) : first;
    const rest = source.slice(start).trimStart();
    const at = source.length - rest.length;
    const title = /^['"`]/.test(rest) ? (rest.match(STRING)?.[0] ?? '') : '';
    return start < 0 || title === '' ? [] : [{ line: source.slice(0, at).split('\n').length, text: title }];
  });
}

/** Where the arguments behind the table of `each` begin, or -1 if there are none. */
function afterTable(source: string, start: number): number {
  let depth = 1;
  for (const { 0: token, index } of source.slice(start).matchAll(TOKEN)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth > 0) continue;
    const end = start + index + 1;
    const next = /^\s*\(/.exec(source.slice(end));
    return next === null ? -1 : end + next[0].length;
  }
  return -1;
}

function stringsOf(file: string, text: string): string {
  if (CLINICAL.some((room) => file.startsWith(room))) return '';
  return [...text.matchAll(STRING)].map(([string]) => string).join(' ');
}
