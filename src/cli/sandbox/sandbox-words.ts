// Names of people and things in a chart: patients, recordings, authors, signers.
import { datePhrase, phraseOf } from '../../domain/history/chart-text.ts';
import { listOf, memberOf, textOf } from '../../domain/raw-members.ts';
import { offsetOf } from '../shared/time-words.ts';
import type { Chart } from './sandbox-chart.ts';

/** The name of a Patient or Practitioner. */
export function personName(person: unknown): string | undefined {
  const [name] = listOf(person, 'name');
  const parts = [...listOf(name, 'given'), memberOf(name, 'family')].flatMap((part) => phraseOf(part) ?? []);
  return phraseOf(memberOf(name, 'text')) ?? (parts.length === 0 ? undefined : parts.join(' '));
}

/** Age in whole years at that time. */
export function ageAt(birthDate: unknown, time: unknown): number | undefined {
  const [birth, at] = [datePhrase(birthDate), datePhrase(time)];
  if (birth?.length !== 10 || at?.length !== 10) return undefined;
  const years = Number(at.slice(0, 4)) - Number(birth.slice(0, 4));
  return at.slice(5) < birth.slice(5) ? years - 1 : years;
}

/** The name in the chart, else the display text of the reference. */
export function whoIs({ find }: Chart, reference: unknown): string | undefined {
  const target = textOf(reference, 'reference');
  return personName(find(target)) ?? phraseOf(memberOf(reference, 'display')) ?? phraseOf(target);
}

/** Describes a Device: `Chartwright (rules): engine Chartwright 0.2.0, model rules 3`. */
export function deviceWords(device: unknown): string | undefined {
  const names = listOf(device, 'deviceName');
  const shown = names.find((name) => textOf(name, 'type') === 'user-friendly-name') ?? names[0];
  const name = phraseOf(memberOf(shown, 'name'));
  const versions = listOf(device, 'version').flatMap((version) => {
    const kind = phraseOf(memberOf(memberOf(version, 'type'), 'text'));
    const value = phraseOf(memberOf(version, 'value'));
    return value === undefined ? [] : [kind === undefined ? value : `${kind} ${value}`];
  });
  if (name === undefined) return undefined;
  return versions.length === 0 ? name : `${name}: ${versions.join(', ')}`;
}

export function isRules(device: unknown): boolean {
  return /\brule/i.test(textOf(memberOf(device, 'type'), 'text') ?? '');
}

/** Describes a recording: `“The whole encounter”, 1:05 (DocumentReference/…)`. */
export function recordingWords({ find }: Chart, reference: string): string {
  const recording = find(reference);
  const attachment = memberOf(listOf(recording, 'content')[0], 'attachment');
  const title = phraseOf(memberOf(attachment, 'title'));
  const period = memberOf(memberOf(recording, 'context'), 'period');
  const seconds = (Date.parse(textOf(period, 'end') ?? '') - Date.parse(textOf(period, 'start') ?? '')) / 1_000;
  const facts = [
    ...(title === undefined ? [] : [`“${title}”`]),
    ...(Number.isFinite(seconds) && seconds > 0 ? [offsetOf(seconds)] : []),
  ];
  return facts.length === 0 ? reference : `${facts.join(', ')} (${reference})`;
}

export function isRecording(document: unknown): boolean {
  return listOf(document, 'content').some((content) =>
    textOf(memberOf(content, 'attachment'), 'contentType')?.startsWith('audio/'),
  );
}

/** Counts resource types: `2 Condition, 1 Flag`. */
export function countWords(types: readonly string[]): string {
  return [...Map.groupBy(types, (type) => type)].map(([type, members]) => `${members.length} ${type}`).join(', ');
}
