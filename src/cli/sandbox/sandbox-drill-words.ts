// Formats the list of drills, and the introduction of one.

import type { DrillAnswer, DrillListAnswer } from '../../wire/sandbox.ts';
import { printable } from '../shared/tables.ts';
import { exactTime } from '../shared/time-words.ts';
import { renderWrapped, wrap } from '../shared/wrapped-table.ts';

const WIDTH = 98;

export function describeDrills({ drills, underWay }: DrillListAnswer): string {
  const table = renderWrapped(drills, {
    DRILL: ({ name }) => name,
    'LASTS UP TO': ({ maxSeconds }) => `${maxSeconds} s`,
    PROMISED: ({ promise }) => promise.status,
    FAILURE: whatGoesWrong,
  });
  const now =
    underWay === undefined
      ? ''
      : `\n${printable(underWay.drill.name)} is under way, and ends by itself at ${exactTime(underWay.endsAt)} UTC at the latest.\n`;
  return `${table}${now}\nRehearse one: npm run cli -- sandbox drill <name>\n`;
}

function whatGoesWrong({ title, unavailable }: DrillAnswer): string {
  return unavailable === undefined ? title : `${title} Not available: ${unavailable}`;
}

export function describeBeginning({ name, title, lookFor, maxSeconds }: DrillAnswer): string {
  const lines = [
    ...wrap(`Drill ${name}: ${title}`, WIDTH),
    'What to look for:',
    ...lookFor.flatMap((line) => wrap(line, WIDTH - 2).map((part, index) => `${index === 0 ? '- ' : '  '}${part}`)),
    `The drill ends by itself within ${maxSeconds} s; press Control-C to end it now.`,
    '',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Formats the time since the start as `+  4.2 s`, in 8 characters or more. */
export function sinceStart(start: string, time: string): string {
  const seconds = (Date.parse(time) - Date.parse(start)) / 1_000;
  if (!Number.isFinite(seconds)) return ' '.repeat(8);
  return `+${Math.max(0, seconds).toFixed(1).padStart(5)} s`;
}
