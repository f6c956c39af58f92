// JSONata in the mapping benchmark: each expression is parsed once. It has no function for a narrative and none for base64 of UTF-8, so both
// are registered, as its own documentation advises; tables are plain objects for `$lookup`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import jsonata from 'jsonata';
import type { CodeTable } from '../../../src/domain/mapping/code-table.ts';
import type { Contender } from './contender.ts';
import { DIAGNOSIS_CODES, DOCUMENTS, NOTE_TYPES, RISK_BANDS, SECTIONS } from './facts.ts';
import { narrativeDiv, toBase64 } from './text.ts';

export function makeJsonata(): Contender {
  const note = readExpression('note.jsonata');
  const differential = readExpression('differential.jsonata');
  return {
    name: 'JSONata',
    mapNote: async (json) => JSON.stringify(await note.evaluate(JSON.parse(json))),
    mapDifferential: async (json) => JSON.stringify(await differential.evaluate(JSON.parse(json))),
  };
}

function readExpression(file: string): jsonata.Expression {
  const expression = jsonata(readFileSync(path.join(import.meta.dirname, file), 'utf8'));
  expression.assign('noteTypes', codingsByKey(NOTE_TYPES));
  expression.assign('sections', codingsByKey(SECTIONS));
  expression.assign('riskBands', codingsByKey(RISK_BANDS));
  expression.assign('diagnosisSystem', DIAGNOSIS_CODES.system);
  expression.assign('documents', { device: DOCUMENTS.device[0], composition: DOCUMENTS.composition[0] });
  expression.registerFunction('narrativeDiv', narrativeDiv, '<s:s>');
  expression.registerFunction('toBase64', toBase64, '<s:s>');
  return expression;
}

function codingsByKey({ system, codes }: CodeTable): Readonly<Record<string, unknown>> {
  const coded = Object.entries(codes).filter(([, entry]) => entry.code !== undefined);
  return Object.fromEntries(coded.map(([key, entry]) => [key, { system, ...entry }]));
}
