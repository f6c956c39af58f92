// Our own mappings in the mapping benchmark: files like those of the base set, checked and compiled once.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type DocumentMapping, describeProblem } from '../../../src/domain/mapping/mapping.ts';
import { loadMapping } from '../../../src/mapping/mapping.ts';
import type { Contender } from './contender.ts';
import {
  DIAGNOSIS_CODES,
  type DifferentialFacts,
  DOCUMENTS,
  NOTE_TYPES,
  type NoteFacts,
  RISK_BANDS,
  SECTIONS,
} from './facts.ts';

const TABLES = {
  noteTypes: NOTE_TYPES,
  sections: SECTIONS,
  diagnosis: DIAGNOSIS_CODES,
  riskBands: RISK_BANDS,
} as const;

export function makeChartwright(): Contender {
  const composition = readMapping('composition');
  const documentReference = readMapping('document-reference');
  const condition = readMapping('condition');
  const riskAssessment = readMapping('risk-assessment');
  const make = (mapping: DocumentMapping, variables: Readonly<Record<string, unknown>>): unknown =>
    mapping.apply({ variables, documents: DOCUMENTS, timeZone: 'UTC' }).value;
  return {
    name: 'chartwright',
    mapNote: (json) => {
      const variables = { ...(JSON.parse(json) as NoteFacts), codes: TABLES };
      return JSON.stringify([make(composition, variables), make(documentReference, variables)]);
    },
    mapDifferential: (json) => {
      const variables = { ...(JSON.parse(json) as DifferentialFacts), codes: TABLES };
      const conditions = variables.diagnosis.diseases.map((disease) => make(condition, { ...variables, disease }));
      return JSON.stringify([...conditions, make(riskAssessment, variables)]);
    },
  };
}

function readMapping(document: string): DocumentMapping {
  const file = `${document}.yaml`;
  const { mapping, problems } = loadMapping({
    file,
    text: readFileSync(path.join(import.meta.dirname, file)),
    context: { kind: 'document', document, documents: Object.keys(DOCUMENTS), tables: TABLES },
  });
  if (mapping === undefined || problems.length > 0) throw new Error(problems.map(describeProblem).join('\n'));
  return mapping;
}
