// Azure Event Grid asks a new receiver to repeat a code before it sends anything else. Asked only of who is known already.
import { memberOf } from '../../../domain/raw-members.ts';
import { parseStrictJson } from '../../../domain/strict-json.ts';

const EVENT_TYPE = 'Microsoft.EventGrid.SubscriptionValidationEvent';
const CODE = /^[\x21-\x7e]{1,200}$/;
/** The question is small; a feed's own bodies are not read twice. */
const MAX_BYTES = 16_384;

/** Undefined: it is no such question. Throws `invalidRequest` for what looks like one and is no JSON. */
export function readValidationCode(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_BYTES || !Buffer.from(bytes).includes(EVENT_TYPE)) return undefined;
  const events = parseStrictJson(Buffer.from(bytes).toString('utf8'));
  const [event]: readonly unknown[] = Array.isArray(events) ? events : [];
  if (memberOf(event, 'eventType') !== EVENT_TYPE) return undefined;
  const code = memberOf(memberOf(event, 'data'), 'validationCode');
  return typeof code === 'string' && CODE.test(code) ? code : undefined;
}
