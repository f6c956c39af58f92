// References of recordings that a program uploaded: `upload:<id>`. Other recordings are named by their resource in the chart.

const UPLOAD = 'upload:';

export function uploadReference(id: string): string {
  return `${UPLOAD}${id}`;
}

/** The id of an uploaded recording; undefined for a recording of the chart. */
export function uploadIdOf(reference: string): string | undefined {
  return reference.startsWith(UPLOAD) ? reference.slice(UPLOAD.length) : undefined;
}
