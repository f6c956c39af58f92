// What the checker says of a mapping written as YAML, as `line:column message`.
import type { CodeTable } from '../../../src/domain/mapping/code-table.ts';
import { checkMapping } from '../../../src/mapping/check/check-mapping.ts';
import { parseMapping } from '../../../src/mapping/language/parse-mapping.ts';
import type { MappingContext } from '../../../src/mapping/mapping-context.ts';
import { parseSource } from '../../../src/mapping/source/parse-source.ts';

const SECTIONS: CodeTable = {
  name: 'sections',
  system: 'http://loinc.org',
  unmapped: 'report',
  codes: { PLAN: { code: '18776-5', display: 'Plan of care note' }, SUBJECTIVE: { code: '61150-9' } },
};

const DIAGNOSIS: CodeTable = { name: 'diagnosis', unmapped: 'keep', codes: {} };

type DocumentContext = Extract<MappingContext, { kind: 'document' }>;

export function aContext(changes: Partial<DocumentContext> = {}): DocumentContext {
  return {
    kind: 'document',
    document: 'task',
    documents: ['composition', 'device', 'task'],
    tables: { sections: SECTIONS, diagnosis: DIAGNOSIS },
    needsNotice: false,
    ...changes,
  };
}

export function checked(yaml: string, context: MappingContext = aContext()): readonly string[] {
  const { root, problems } = parseSource({ file: 'mappings/mercy/task.yaml', text: yaml });
  if (root === undefined) throw new Error(`this is no YAML: ${JSON.stringify(problems)}`);
  const parsed = parseMapping(root);
  if (parsed.tree === undefined || parsed.problems.length > 0) throw new Error(JSON.stringify(parsed.problems));
  return checkMapping(parsed.tree, context).map(({ place, message }) => `${place.line}:${place.column} ${message}`);
}

/** Of one expression, wherever its value goes: the position counts from its first character. */
export function checkedExpression(expression: string, context?: MappingContext): readonly string[] {
  const before = 'value: "{{ ';
  return checked(`resourceType: "{{ 'Task' }}"\n${before}${expression} }}"`, context).map((said) =>
    said.replace(/^2:(\d+)/, (_, column: string) => String(Number(column) - before.length - 1)),
  );
}
