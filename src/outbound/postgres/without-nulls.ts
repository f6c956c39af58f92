// Columns as members: a column without a value is an absent member, never null.

type NullableNames<Row> = { [Name in keyof Row]: null extends Row[Name] ? Name : never }[keyof Row];

type WithoutNulls<Row> = Omit<Row, NullableNames<Row>> & { [Name in NullableNames<Row>]?: Exclude<Row[Name], null> };

export function withoutNulls<Row extends object>(row: Row): WithoutNulls<Row> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<Row>;
}
