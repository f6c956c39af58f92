// Why a file is not taken, in words for people: never its name, never anything of its content.

export const REFUSALS = {
  empty: 'the file is empty',
  kind: 'unsupported file type; JPG, JPEG, PNG, WEBP, GIF and PDF are taken',
  twoKinds: 'the file is more than one kind of file at once',
  imageDamaged: 'the image is cut or damaged',
  imagePixels: 'the image has more than 40 megapixels',
  imageSides: 'the image has more than 12,000 pixels on a side',
  imageFrames: 'the image has more than 500 frames',
  imageFramePixels: 'the frames of the image have more than 1,000 megapixels together',
  imageTrailer: 'the image has other data behind its end',
  imageMetadata: 'the image has more than 4 MB of metadata',
  pdfEncrypted: 'the PDF is encrypted',
  pdfPages: 'the PDF has more than 200 pages',
  pdfNoPages: 'the PDF has no pages',
  pdfActive: 'the PDF holds scripts, launch actions or embedded files',
  pdfUnpacked: 'the PDF unpacks to more than 128 MB',
  pdfRatio: 'the PDF has a stream that unpacks to more than 100 times its size',
  pdfTime: 'the PDFs take more than 5 seconds of processor time together',
  pdfDamaged: 'the PDF is cut or damaged',
  pdfUnreadable: 'the PDF cannot be read',
} as const;

export type RefusalCode = keyof typeof REFUSALS;

export function isRefusalCode(word: string): word is RefusalCode {
  return Object.hasOwn(REFUSALS, word);
}

/** Thrown inside of a check to leave it; becomes `{ ok: false, reason }` at its door. */
export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode) {
    super(REFUSALS[code]);
    this.name = 'Refusal';
    this.code = code;
  }
}
