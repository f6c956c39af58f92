// Reads an HL7 v2 ADT message as an event: only its visit number. Everything else is read from the EHR.
import type { Hl7Segment } from '@medplum/core';
import { bareHl7, type Hl7Header, hl7Text, openHl7 } from './hl7-message.ts';
import { occurredAt } from './read-resource.ts';
import {
  hashKey,
  nothing,
  notUnderstood,
  PATIENTS_MERGED,
  type Reading,
  type ReadingPlace,
  shownId,
} from './reading.ts';

/** Admitted, transferred, discharged, registered, changed of class, updated, cancelled, merged. */
const TRIGGERS = new Set(['A01', 'A02', 'A03', 'A04', 'A05', 'A06', 'A07', 'A08', 'A11', 'A13', 'A40']);
const MAX_VISIT_NUMBER = 64;
const TO_THE_MINUTE = /^\d{12}/;
const TIME = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)?(\d\d)?)?(?:\.\d{1,6})?(?:([+-]\d\d)(\d\d))?$/;

export function readAdt(bytes: Uint8Array, place: ReadingPlace): Reading {
  const opened = openHl7(bytes);
  if ('kind' in opened) return opened;
  const { header, message } = opened;
  if (header.type !== 'ADT') return notUnderstood('It is an HL7 v2 message, and not of the type ADT (MSH-9)');
  const trigger = header.trigger || (message.getSegment('EVN')?.getComponent(1, 1).trim() ?? '');
  if (!TRIGGERS.has(trigger)) return nothing(otherTrigger(trigger));
  const visit = message.getSegment('PV1');
  const number = visitNumber(visit, header);
  if (number === undefined && trigger === 'A40') {
    return nothing(PATIENTS_MERGED, { mustSearch: true });
  }
  if (number === undefined) return notUnderstood('It has no visit number that can be used (PV1-19)');
  const times = [message.getSegment('EVN')?.getComponent(2, 1), message.header.getComponent(7, 1)];
  const time = times.map((each) => fhirTime(each ?? '')).find((each) => each !== undefined);
  const isUrgent = visit?.getComponent(2, 1).trim().toUpperCase() === 'E';
  return {
    kind: 'encounters',
    encounters: [{ encounter: `visit:${number}`, isUrgent }],
    ...nameOf(header, bytes),
    ...occurredAt(time, place.timeZone),
  };
}

function otherTrigger(trigger: string): string {
  const shown = /^[A-Z]\d\d$/.test(trigger) ? trigger : 'of other kinds';
  return `The feed also carries ADT messages ${shown}, which are not needed`;
}

/** The first repetition with a number, without its check digit and assigning authority. */
function visitNumber(visit: Hl7Segment | undefined, { separators }: Hl7Header): string | undefined {
  const subcomponent = separators[4];
  const numbers = (visit?.getField(19)?.components ?? []).map(([raw = '']) => {
    const [first = ''] = subcomponent === undefined ? [raw] : raw.split(subcomponent);
    return hl7Text(first, separators).trim();
  });
  const number = numbers.find((each) => each !== '');
  const isFit = number !== undefined && number.length <= MAX_VISIT_NUMBER && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(number);
  return isFit ? number : undefined;
}

/**
 * The key is made of the sender, the control id and the time, so that the same message in another feed is a repeat. Control ids start again, at
 * some senders after 9999; without an exact time a hash of the whole message distinguishes them.
 */
function nameOf(
  { sendingApplication, sendingFacility, controlId: given, time }: Hl7Header,
  bytes: Uint8Array,
): Pick<Reading & { kind: 'encounters' }, 'key' | 'eventId'> {
  const controlId = given.trim();
  if (controlId === '') return {};
  const eventId = shownId(controlId);
  const made = TO_THE_MINUTE.test(time) ? time : hashKey(bareHl7(bytes));
  return {
    key: `hl7:${sendingApplication}|${sendingFacility}|${controlId}|${made}`,
    ...(eventId !== undefined && { eventId }),
  };
}

/** At least a date; a time without an offset is in the time zone of the site. */
function fhirTime(text: string): string | undefined {
  const match = TIME.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour, minute = '00', second = '00', offsetHours, offsetMinutes] = match;
  if (hour === undefined) return `${year}-${month}-${day}`;
  const offset = offsetHours === undefined ? '' : `${offsetHours}:${offsetMinutes}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
}
