// `npm run eval`: how good the built-in reasoner and note writer are, by made-up cases. `--json`: the figures alone, for programs.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeBuiltinReasoner } from '../../src/outbound/builtin/builtin-reasoner.ts';
import { makeHearHistory } from '../../src/outbound/builtin/hearing/hear-history.ts';
import { readKnowledge } from '../../src/outbound/builtin/knowing/read-knowledge.ts';
import { makeNoteWriter } from '../../src/outbound/builtin/noting/note-writer.ts';
import { makePdfText } from '../../src/platform/file-check/pdf-text.ts';
import { evaluate } from './evaluate.ts';
import { PARTS } from './sets.ts';
import { summariseTalks, summariseVignettes } from './summary.ts';
import { talkTable, vignetteTable } from './tables.ts';

const KNOWLEDGE = path.join(import.meta.dirname, '../../src/outbound/builtin/knowledge');
const TITLES = {
  seen: 'Cases that were looked at while tuning',
  unseen: 'Cases that nobody looked at while tuning',
} as const;

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const knowledge = readKnowledge(KNOWLEDGE);
const reasoner = makeBuiltinReasoner({
  knowledge,
  hearHistory: makeHearHistory(knowledge),
  writeNote: makeNoteWriter(),
  readPdfText: makePdfText(),
});
const { vignettes, talks } = await evaluate(reasoner, new AbortController().signal);
const summaries = PARTS.flatMap((part) => summariseVignettes(part, vignettes));
const notes = summariseTalks(talks);
if (values.json) {
  console.log(
    JSON.stringify(
      { engine: reasoner.engine, knowledge: knowledge.version, vignettes: summaries, notes },
      undefined,
      2,
    ),
  );
} else {
  console.log(`${reasoner.engine}, knowledge ${knowledge.version}`);
  for (const part of PARTS) {
    console.log(`\n${TITLES[part]}\n\n${vignetteTable(summaries.filter((summary) => summary.part === part))}`);
  }
  console.log(`\nNotes\n\n${talkTable(notes)}`);
}
