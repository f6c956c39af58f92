// A place in a FHIR resource that a part of a mapping fills, and the functions that the checks of such parts share.
import type { Place, Problem } from '../../domain/mapping/mapping.ts';
import type { Branch, Expression, MappingNode } from '../language/mapping-tree.ts';
import type { FhirCodes, FhirMember, FhirType, FhirTypeReference } from './fhir-r4.ts';
import type { Shape } from './shape.ts';

export type Slot = {
  /** `Composition.section.title` */
  readonly path: string;
  /** The place to report: its key, or the item of a list. */
  readonly place: Place;
  /** Undefined if the type is unknown: then nothing can be wrong. */
  readonly type: FhirTypeReference | undefined;
  readonly codes?: FhirCodes;
  /** One value, a list of them, or an item of a list, which may be a list itself: FPML makes one of both. */
  readonly count: 'one' | 'list' | 'item';
};

export type Problems = readonly Problem[];

export type TargetCheck = {
  readonly shapeOf: (expression: Expression) => Shape;
  /** True if required elements must be here; false in parts that are merged with others later. */
  readonly needsElements: boolean;
  readonly value: (node: MappingNode, slot: Slot) => Problems;
  readonly object: (node: ObjectNode, type: FhirType, slot: Slot) => Problems;
  /** An object that is a resource by its `resourceType`. */
  readonly resource: (node: ObjectNode, slot: Slot) => Problems;
  /** A part of unknown type, which may have resources inside. */
  readonly anything: (node: MappingNode) => Problems;
};

export type ObjectNode = Extract<MappingNode, { kind: 'object' }>;

export function slotOf({ element, type }: FhirMember, path: string, place: Place): Slot {
  return { path, place, type, count: element.isList ? 'list' : 'one', ...(element.codes && { codes: element.codes }) };
}

/** A message at a place, if there is one. */
export function problemAt(place: Place, message: string | undefined): Problems {
  return message === undefined ? [] : [{ place, message }];
}

/** `title` of `Composition.section.title` */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

export function branchParts(branch: Branch | undefined): readonly MappingNode[] {
  return [branch?.then, branch?.otherwise].filter((part) => part !== undefined);
}
