// Refuses words that a reader outside of the project has to decode: in comments, titles of tests, messages and documents.
// CONTRIBUTING.md has the rule and examples. Paths as arguments limit what is read: `node .ci/plain-words.ts src/flows`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

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
const TITLE = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^'"`]*\)\s*)?\(\s*(['"`].*)$/;
const TITLE_ABOVE = /\b(?:it|test|describe)(?:\.\w+)*\(\s*$|^\s*\]\)\($/;

/** Rooms whose strings are words of patients and clinicians. */
const CLINICAL = ['src/rules/', 'src/clinical-text/', 'src/sandbox/patients/', 'src/domain/note/check/'];
/** Data and generated files, and this list itself. */
const EXEMPT =
  /^(knowledge\/|src\/sandbox\/patients\/.*\.yaml|mappings\/.*\/tests\/|test\/eval\/sets\/|test\/fixtures\/|package-lock\.json|LICENSE|\.ci\/plain-words\.ts|test\/ci\/plain-words\.test\.ts)/;

const roots = process.argv.slice(2);
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...roots], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
  .split('\n')
  .filter((file) => /\.(tsx?|js|md|ya?ml|html)$/.test(file) && !EXEMPT.test(file) && existsSync(file));

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

function placesOf(file: string): readonly Place[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  if (!/\.tsx?$/.test(file)) return lines.map((text, at) => ({ line: at + 1, text }));
  return lines.flatMap((text, at) => {
    const line = at + 1;
    const parts = [
      commentOf(text),
      file.startsWith('test/') ? titleOf(text, lines[at - 1] ?? '') : stringsOf(file, text),
      RETIRED_TYPES.exec(text)?.[0] ?? '',
    ];
    return parts.filter((part) => part !== '').map((part) => ({ line, text: part }));
  });
}

function commentOf(text: string): string {
  return (
    COMMENT.exec(text)
      ?.slice(1)
      .find((part) => part !== undefined) ?? ''
  );
}

function titleOf(text: string, above: string): string {
  const rest = TITLE.exec(text)?.[1] ?? (TITLE_ABOVE.test(above) ? text : '');
  return rest.match(STRING)?.[0] ?? '';
}

function stringsOf(file: string, text: string): string {
  if (CLINICAL.some((room) => file.startsWith(room))) return '';
  return [...text.matchAll(STRING)].map(([string]) => string).join(' ');
}
