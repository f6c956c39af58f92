// A document that carries the note must show the AI notice: the first line of a draft tells its reader that AI wrote it.
import type { Problem } from '../../domain/mapping/mapping.ts';
import type { MappingNode } from '../language/mapping-tree.ts';
import { showsVariable } from './shown-variable.ts';

const NOTE_DOCUMENTS = ['composition', 'document-reference', 'differential'];
const NOTE_RESOURCES = ['Composition', 'DocumentReference'];
/** A document that reads one of these carries the note. A Condition may have no text; its text is checked when it is made. */
const NOTE_VARIABLES = ['note', 'transcript'];
/** These documents read the note and do not show it. */
const SAYS_NOTHING = ['device', 'provenance', 'task'];

/** `reads` are the variables that the mapping reads, without `%`. */
export type NoticeParts = {
  readonly tree: MappingNode;
  readonly document: string;
  readonly reads: ReadonlySet<string>;
};

/** Not called for a site for trials, whose notes are about no real patient. */
export function checkNoticeShown({ tree, document, reads }: NoticeParts): readonly Problem[] {
  const place = { file: tree.place.file, line: 1, column: 1 };
  if (document === 'notice') {
    return reads.has('notice') ? [{ place, message: 'the notice cannot be made of %notice' }] : [];
  }
  const isNeeded = NOTE_DOCUMENTS.includes(document) || makesNote(tree) || saysNote(document, reads);
  if (!isNeeded || showsVariable(tree, 'notice')) return [];
  return [{ place, message: 'this document does not show the AI notice: put %notice first in its text' }];
}

function saysNote(document: string, reads: ReadonlySet<string>): boolean {
  return !SAYS_NOTHING.includes(document) && NOTE_VARIABLES.some((name) => reads.has(name));
}

function makesNote(node: MappingNode): boolean {
  switch (node.kind) {
    case 'assign':
      return makesNote(node.body);
    case 'branch':
      return [node.branch.then, node.branch.otherwise].some((part) => part !== undefined && makesNote(part));
    case 'object':
      return node.keys.some(
        ({ key, value }) =>
          key === 'resourceType' && value.kind === 'constant' && NOTE_RESOURCES.includes(String(value.value)),
      );
    default:
      return false;
  }
}
