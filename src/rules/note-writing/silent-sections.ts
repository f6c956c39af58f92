// What a section without a statement says. An extract cannot always tell a decision from an action: "not discussed" is only said if nothing
// of the kind is in the whole note, otherwise the reader is sent to the section that has it.
import type { Template } from '../../domain/note/template.ts';
import { fillTemplate } from '../knowledge/fill-template.ts';
import type { Wording } from '../knowledge/language-schema.ts';
import type { CueFiles } from './cue-files.ts';
import type { PlacedStatements } from './place-statements.ts';
import { DONE_KINDS, FOUND_KINDS, REPORTED_KINDS, THOUGHT_KINDS } from './statement-kinds.ts';

export type TextOfSilent = (key: string, template: Template, placed: PlacedStatements) => string;

/** How the patient takes what is done is only known from an answer: without one, nothing was said. */
const TOLD = ['chief', ...REPORTED_KINDS.filter((kind) => kind !== 'response')];
/** A judgement in words that no cue knows is in the plan, because all that is said there is kept. */
const GROUPS = [
  { of: TOLD, isIn: TOLD },
  { of: FOUND_KINDS, isIn: FOUND_KINDS },
  { of: THOUGHT_KINDS, isIn: [...THOUGHT_KINDS, ...DONE_KINDS] },
  { of: DONE_KINDS, isIn: DONE_KINDS },
] as const satisfies readonly { of: readonly string[]; isIn: readonly string[] }[];

export function makeTextOfSilent(
  { templates }: CueFiles['sections'],
  { notSaid, elsewhere }: Wording['note'],
): TextOfSilent {
  return (key, template, placed) => {
    const kinds = templates[template.name] ?? {};
    const groups = GROUPS.filter(({ of }) => hasOne(kinds[key], of));
    const others = template.sections.filter(
      (other) => (placed.get(other.key) ?? []).length > 0 && groups.some(({ isIn }) => hasOne(kinds[other.key], isIn)),
    );
    if (others.length === 0) return notSaid;
    return fillTemplate(elsewhere, { sections: others.map(({ title }) => title).join(', ') });
  };
}

function hasOne(kinds: readonly string[] | undefined, wanted: readonly string[]): boolean {
  return kinds?.some((kind) => wanted.includes(kind)) ?? false;
}
