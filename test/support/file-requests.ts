// A request of a made-up organization whose files are checked.
import type { FileRequest } from '../../src/platform/file-check/pdf-check.ts';
import { makeProcessorTime } from '../../src/platform/file-check/processor-time.ts';

/** With processor time for any PDF, unless a test is about its limit. */
export function aFileRequest(parts: Partial<FileRequest> = {}): FileRequest {
  const { signal = new AbortController().signal } = parts;
  return { owner: 'clinic', processorTime: makeProcessorTime(600_000), signal, ...parts };
}
