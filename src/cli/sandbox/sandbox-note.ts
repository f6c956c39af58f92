// Prints the note of a session from the sections of its Composition, else from the text of its DocumentReference.
import { phraseOf } from '../../domain/history/chart-text.ts';
import { listOf, memberOf, textOf } from '../../domain/raw-members.ts';
import { allOf, type ChartSession, newestOf } from './sandbox-chart.ts';
import { paragraphsOf, paragraphsOfText } from './sandbox-narrative.ts';
import type { Page } from './sandbox-page.ts';

const INDENT = 2;
const DEEPEST = 5;

/** The document that holds the note. */
export function noteOf(session: ChartSession): unknown {
  return (
    newestOf(session, 'Composition') ?? allOf(session, 'DocumentReference').find((one) => plainText(one) !== undefined)
  );
}

export function addNote(page: Page, session: ChartSession): void {
  const note = noteOf(session);
  if (note === undefined) return;
  const title = phraseOf(memberOf(note, 'title')) ?? phraseOf(memberOf(note, 'description')) ?? 'Note';
  const status = phraseOf(memberOf(note, 'docStatus')) ?? phraseOf(memberOf(note, 'status'));
  page.add(status === undefined ? title : `${title} (${status})`, { ink: 'strong' });
  const text = plainText(note);
  if (text !== undefined) {
    const [notice, ...paragraphs] = paragraphsOfText(text);
    if (notice !== undefined) page.add(notice, { ink: 'quiet' });
    for (const paragraph of paragraphs) addParagraph(page, paragraph, INDENT);
    return;
  }
  const notice = narrativeOf(note)[0];
  if (notice !== undefined) page.add(notice, { ink: 'quiet' });
  for (const section of listOf(note, 'section')) addSection(page, section, { depth: 1, notice });
}

function addParagraph(page: Page, paragraph: string, indent: number): void {
  page.gap();
  page.add(paragraph, { indent });
}

type Place = { readonly depth: number; readonly notice: string | undefined };

/** Each section repeats the AI notice; it is printed once. */
function addSection(page: Page, section: unknown, { depth, notice }: Place): void {
  if (depth > DEEPEST) return;
  const indent = depth * INDENT;
  page.gap();
  page.add(phraseOf(memberOf(section, 'title')) ?? 'Section', { indent: indent - INDENT, ink: 'strong' });
  const paragraphs = narrativeOf(section);
  const own = paragraphs[0] === notice ? paragraphs.slice(1) : paragraphs;
  for (const paragraph of own) page.add(paragraph, { indent });
  for (const inner of listOf(section, 'section')) addSection(page, inner, { depth: depth + 1, notice });
}

function narrativeOf(resource: unknown): readonly string[] {
  return paragraphsOf(textOf(memberOf(resource, 'text'), 'div') ?? '');
}

function plainText(document: unknown): string | undefined {
  const attachments = listOf(document, 'content').map((content) => memberOf(content, 'attachment'));
  const plain = attachments.find((one) => textOf(one, 'contentType')?.startsWith('text/plain'));
  const data = textOf(plain, 'data');
  return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8');
}
