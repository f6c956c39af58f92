// Azure Event Grid asks a new receiver to repeat a code before it sends events. Only an authenticated sender gets this answer.
import { memberOf } from '../../../domain/raw-members.ts';
import { parseStrictJson } from '../../../domain/strict-json.ts';

const EVENT_TYPE = 'Microsoft.EventGrid.SubscriptionValidationEvent';
const CODE = /^[\x21-\x7e]{1,200}$/;
/** The validation request is small; larger bodies are not parsed a second time. */
const MAX_BYTES = 16_384;

/** Returns undefined for any other body. Throws `invalidRequest` if the body looks like a validation request and is not JSON. */
export function readValidationCode(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_BYTES || !Buffer.from(bytes).includes(EVENT_TYPE)) return undefined;
  const events = parseStrictJson(Buffer.from(bytes).toString('utf8'));
  const [event]: readonly unknown[] = Array.isArray(events) ? events : [];
  if (memberOf(event, 'eventType') !== EVENT_TYPE) return undefined;
  const code = memberOf(memberOf(event, 'data'), 'validationCode');
  return typeof code === 'string' && CODE.test(code) ? code : undefined;
}
