// Reads members of data from an EHR without trusting its types: a member may be missing, null, or of any other shape.

type Members = Readonly<Record<string, unknown>>;

/** An object of JSON, and no list. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined if the member is missing or null. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Members)[name] ?? undefined;
}

/** A single value instead of a list is returned as a list of one. */
export function listOf(value: unknown, name: string): readonly unknown[] {
  const member = memberOf(value, name);
  if (member === undefined) return [];
  return Array.isArray(member) ? member.filter((item) => item !== null && item !== undefined) : [member];
}

export function textOf(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : undefined;
}

/** Whether the member has content: an empty list or object has none. */
export function hasMember(value: unknown, name: string): boolean {
  const member = memberOf(value, name);
  if (typeof member === 'object' && member !== null) return Object.keys(member).length > 0;
  return member !== undefined;
}

/** The codes of a CodeableConcept with one of the systems or without a system; all codes if no systems are passed. */
export function codesOf(concept: unknown, systems?: ReadonlySet<string>): readonly string[] {
  return listOf(concept, 'coding').flatMap((coding) => {
    const [system, code] = [memberOf(coding, 'system'), textOf(coding, 'code')];
    const isMeant = !systems || system === undefined || (typeof system === 'string' && systems.has(system));
    return code !== undefined && isMeant ? [code] : [];
  });
}
