// `%codes.visit-kinds`: the table is named as its file is, and FHIRPath reads it as a subtraction.
import { innerNodes } from '../fhirpath/inner-nodes.ts';
import type { ExpressionNode } from '../fhirpath/syntax.ts';
import { suggest } from '../suggest.ts';

/** From the first character to the end of the name. */
export type TableName = { readonly at: number; readonly end: number; readonly message: string };

export function dashedTables(node: ExpressionNode, tables: readonly string[]): readonly TableName[] {
  const dashed = node.kind === 'operation' ? dashedName(node) : undefined;
  if (dashed === undefined) return innerNodes(node).flatMap((inner) => dashedTables(inner, tables));
  const { at, name } = dashed;
  const camel = name.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase());
  const meant = tables.includes(camel) ? camel : suggest(camel, tables);
  const message =
    meant === undefined
      ? `there is no table ${name}. Tables are files in codes/, and codes/visit-kinds.yaml is %codes.visitKinds`
      : `%codes.${name} is not known here; did you mean %codes.${meant}?`;
  return [{ at, end: at + `%codes.${name}`.length, message }];
}

/** Only without a space in between. */
function dashedName(node: ExpressionNode): { readonly at: number; readonly name: string } | undefined {
  if (node.kind === 'member' && node.target?.kind === 'variable' && node.target.name === 'codes') {
    const isWhole = node.at === node.target.at + '%codes.'.length;
    return isWhole ? { at: node.target.at, name: node.name } : undefined;
  }
  if (node.kind !== 'operation' || node.operator !== '-') return undefined;
  const { left, right, at } = node;
  const before = dashedName(left);
  const isBare = right.kind === 'member' && right.target === undefined;
  if (before === undefined || !isBare) return undefined;
  const isWritten = at === before.at + `%codes.${before.name}`.length && right.at === at + 1;
  return isWritten ? { at: before.at, name: `${before.name}-${right.name}` } : undefined;
}
