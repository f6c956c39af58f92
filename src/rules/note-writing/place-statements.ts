// Places statements in the sections of the ten built-in templates by their kind, and in templates with an intervention and a response also
// by whether they come before or after the intervention.
import { TEMPLATE_NAMES, TEMPLATE_SECTIONS, type TemplateName } from '../../domain/note/template.ts';
import { chiefComplaint } from './chief-complaint.ts';
import type { CueFiles } from './cue-files.ts';
import type { Statement } from './statement.ts';
import { DONE_KINDS, FOUND_KINDS, type NoteKind } from './statement-kinds.ts';

/** Statements by the key of their section, in spoken order. */
export type PlacedStatements = ReadonlyMap<string, readonly Statement[]>;
export type PlaceStatements = (statements: readonly Statement[], template: TemplateName) => PlacedStatements;

/** Nurses' notes: measurements after the first intervention belong to the response. */
const NURSING: ReadonlySet<TemplateName> = new Set<TemplateName>(['PIE', 'DAR']);
export const WITH_RESPONSE: ReadonlySet<string> = new Set<TemplateName>([...NURSING, 'BIRP', 'ADIME']);
const DONE: ReadonlySet<NoteKind> = new Set<NoteKind>(DONE_KINDS);
const FOUND: ReadonlySet<NoteKind> = new Set<NoteKind>(FOUND_KINDS);
const STATE: ReadonlySet<NoteKind> = new Set<NoteKind>(['complaint', 'history', 'response']);

/** Throws an Error if the cues and the templates do not have the same sections. */
export function makePlaceStatements({ templates }: CueFiles['sections']): PlaceStatements {
  const wrong = TEMPLATE_NAMES.filter(
    (name) =>
      Object.keys(templates[name] ?? {})
        .toSorted()
        .join() !== TEMPLATE_SECTIONS[name].toSorted().join(),
  );
  if (wrong.length > 0) throw new Error(`The cues of the note writer have other sections than the templates: ${wrong}`);
  const sections = new Map(
    Object.entries(templates).map(([template, keys]) => [
      template,
      new Map(Object.entries(keys).flatMap(([key, kinds]) => kinds.map((kind) => [kind, key] as const))),
    ]),
  );
  return (statements, template) => {
    const byKind = sections.get(template) ?? new Map<string, string>();
    const chief = byKind.get('chief');
    const placed = new Map<string, Statement[]>();
    if (chief) placed.set(chief, [...chiefComplaint(statements)]);
    for (const statement of inTime(statements, template)) {
      const key = byKind.get(statement.kind);
      const there = key === undefined ? undefined : placed.get(key);
      if (there) there.push(statement);
      else if (key) placed.set(key, [statement]);
    }
    return placed;
  };
}

function inTime(statements: readonly Statement[], template: TemplateName): readonly Statement[] {
  if (!WITH_RESPONSE.has(template)) return statements;
  const ordered = template === 'BIRP' ? asSession(statements) : statements;
  const first = ordered.findIndex(({ kind }) => (template === 'BIRP' ? kind === 'intervention' : DONE.has(kind)));
  return ordered.map((statement, index): Statement => {
    const isAfter = first >= 0 && index > first;
    const { kind } = statement;
    if (!isAfter) return kind === 'response' ? { ...statement, kind: 'history' } : statement;
    if (template === 'ADIME') return statement;
    const tells = STATE.has(kind) || (NURSING.has(template) && FOUND.has(kind));
    return tells ? { ...statement, kind: 'response' } : statement;
  });
}

/** What a therapist asks for belongs to the session, until the talk turns to the time before the next session. */
function asSession(statements: readonly Statement[]): readonly Statement[] {
  const ahead = statements.findIndex(
    ({ kind, isClinician, isAhead }) => isClinician && (isAhead || kind === 'followup'),
  );
  return statements.map((statement, index): Statement => {
    if (!statement.isClinician || !DONE.has(statement.kind)) return statement;
    const isNext = ahead >= 0 && index >= ahead;
    if (isNext) return statement.kind === 'intervention' ? { ...statement, kind: 'advice' } : statement;
    return { ...statement, kind: 'intervention' };
  });
}
