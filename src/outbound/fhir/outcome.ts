// What an OperationOutcome says, without its words: codes of the closed list, and paths of elements. Its texts may quote the patient;
// they are looked at, and never repeated.
import { type FhirAnswer, jsonOf } from './fhir-answer.ts';
import { type JsonObject, objectAt, objectsAt, textAt, textsAt } from './json.ts';

export type Outcome = {
  /** False: it says nothing, or what speaks is no FHIR: a gateway in front, while the EHR is away. */
  readonly isFhir: boolean;
  /** `invalid at Condition.code, required`; empty where it says nothing that can be repeated. */
  readonly words: string;
  readonly isUnsupportedAsSuch: boolean;
  /** It names what in the resource is wrong: then it is not the type of it. */
  readonly isAboutElement: boolean;
  readonly isTooLarge: boolean;
  /** The server's own keys got in each other's way; nothing was stored. */
  readonly isKeyTaken: boolean;
  readonly isUnknownType: boolean;
  /** As told in diagnostics by servers that know no better place. */
  readonly waitMs: number | undefined;
};

/** http://hl7.org/fhir/issue-type */
const CODES: ReadonlySet<string> = new Set(
  [
    'invalid structure required value invariant security login unknown expired forbidden suppressed processing not-supported',
    'duplicate multiple-matches not-found deleted too-long code-invalid extension too-costly business-rule conflict transient',
    'lock-error no-store exception timeout incomplete throttled informational',
  ].flatMap((line) => line.split(' ')),
);
const MAX_ISSUES = 5;
const MAX_PATH_LENGTH = 120;
const PATH = /^([A-Z][A-Za-z]+)((?:\.[a-z][A-Za-z]*(?:\[(?:x|\d{1,4})\])?)+)$/;
/** Of the Bundle; one long text in it is something else. */
const TOO_LARGE =
  /too many (?:entries|resources)|strict isolation|(?:bundle|transaction|batch)\b.{0,60}(?:too (?:large|big)|exceed|more .{1,40}than allowed)/i;
const KEY_TAKEN = /assigned id is already in use/i;
const UNKNOWN_TYPE = /(?:unknown|unsupported|invalid) resource ?type|resource ?type .{0,60}not (?:supported|known)/i;
const WAIT = /_msBeforeNext\W{1,5}(\d{1,12})\b/;

/** `types`: of what was sent. A path that begins with anything else is not repeated. */
export function readOutcome(answer: FhirAnswer, types: readonly string[]): Outcome {
  return outcomeOf(jsonOf(answer), types);
}

function outcomeOf(json: JsonObject | undefined, types: readonly string[]): Outcome {
  const isFhir = textAt(json, 'resourceType') === 'OperationOutcome';
  const issues = isFhir ? objectsAt(json, 'issue') : [];
  const read = issues.slice(0, MAX_ISSUES).map((issue) => ({
    code: codeOf(issue),
    paths: [...textsAt(issue, 'expression'), ...textsAt(issue, 'location')],
  }));
  const texts = issues.flatMap((issue) => [
    textAt(issue, 'diagnostics') ?? '',
    textAt(objectAt(issue, 'details'), 'text') ?? '',
  ]);
  const says = (pattern: RegExp) => texts.some((text) => pattern.test(text));
  const waitMs = texts.map((text) => WAIT.exec(text)?.[1]).find((found) => found !== undefined);
  return {
    isFhir,
    words: [...new Set(read.flatMap(({ code, paths }) => describe(code, paths, types)))].join(', '),
    // A single element that the server does not support says nothing about the type.
    isUnsupportedAsSuch: read.some(({ code, paths }) => code === 'not-supported' && !paths.some(isOfElement)),
    isAboutElement: read.some(({ paths }) => paths.some(isOfElement)),
    isTooLarge: read.some(({ code }) => code === 'too-costly') || says(TOO_LARGE),
    isKeyTaken: says(KEY_TAKEN),
    isUnknownType: says(UNKNOWN_TYPE),
    waitMs: waitMs === undefined ? undefined : Number(waitMs),
  };
}

function isOfElement(path: string): boolean {
  return path.includes('.');
}

function codeOf(issue: JsonObject): string | undefined {
  const code = textAt(issue, 'code');
  return code !== undefined && CODES.has(code) ? code : undefined;
}

function describe(code: string | undefined, paths: readonly string[], types: readonly string[]): readonly string[] {
  if (code === undefined) return [];
  const path = paths.find((candidate) => isPathOf(candidate, types));
  return [path === undefined ? code : `${code} at ${path}`];
}

function isPathOf(path: string, types: readonly string[]): boolean {
  const [, type] = PATH.exec(path) ?? [];
  return type !== undefined && path.length <= MAX_PATH_LENGTH && (type === 'Bundle' || types.includes(type));
}
