// The few kinds of JSON Schema that strict answers know: every property is required and nothing else is allowed.
// What is optional is nullable.

export type AnswerSchema = {
  readonly type: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: AnswerSchema | NullableSchema;
  readonly properties?: Readonly<Record<string, AnswerSchema | NullableSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
};
type NullableSchema = { readonly anyOf: readonly AnswerSchema[] };

export function text(description: string): AnswerSchema {
  return { type: 'string', description };
}

export function wholeNumber(): AnswerSchema {
  return { type: 'integer' };
}

export function enumeration(values: readonly string[]): AnswerSchema {
  return { type: 'string', enum: values };
}

export function listOf(items: AnswerSchema): AnswerSchema {
  return { type: 'array', items };
}

export function nullable(schema: AnswerSchema): NullableSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** Property names may be any text: also `__proto__` becomes an own property. */
export function record(properties: Readonly<Record<string, AnswerSchema | NullableSchema>>): AnswerSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
