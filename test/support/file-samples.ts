// Made-up images and PDFs, written by code: valid ones of any size, and hostile ones of every kind that the checks have to refuse.
import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';

export type Sample = Buffer<ArrayBuffer>;
type Size = { readonly width?: number; readonly height?: number };
type Padded = { readonly padTo?: number };

/** Returns an opener of the bytes, as uploads, the spool and attachments have. */
export function asFile(bytes: Uint8Array, pieceBytes = 65_536) {
  return {
    sizeBytes: bytes.length,
    async *open(): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    },
  };
}

function join(...parts: readonly Uint8Array[]): Sample {
  return Buffer.concat(parts);
}

function bytesOf(text: string): Sample {
  return Buffer.from(text, 'latin1');
}

function uint(value: number, length: number, order: 'BE' | 'LE'): Sample {
  const bytes = Buffer.alloc(length);
  if (order === 'BE') bytes.writeUIntBE(value, 0, length);
  else bytes.writeUIntLE(value, 0, length);
  return bytes;
}

// PNG

type PngParts = Size &
  Padded & {
    /** Further chunks behind the header, made by `pngChunk`. */
    readonly chunks?: readonly Uint8Array[];
    /** The frames of an animation. */
    readonly frames?: number;
    /** The size in the header, if it differs from the size of the pixels. */
    readonly claims?: { readonly width: number; readonly height: number };
  };

export function pngChunk(type: string, data: Uint8Array): Sample {
  const content = join(bytesOf(type), data);
  return join(uint(data.length, 4, 'BE'), content, uint(crc32(content), 4, 'BE'));
}

/** The pixels are white, with one bit each. */
export function makePng(parts: PngParts = {}): Sample {
  const { width = 4, height = 4, chunks = [], frames = 0, padTo } = parts;
  const { width: claimedWidth, height: claimedHeight } = parts.claims ?? { width, height };
  const header = join(uint(claimedWidth, 4, 'BE'), uint(claimedHeight, 4, 'BE'), Buffer.from([1, 0, 0, 0, 0]));
  const row = join(Buffer.alloc(1), Buffer.alloc(Math.ceil(width / 8), 0xff));
  const pixels = Buffer.alloc(row.length * height, row);
  const build = (data: Uint8Array, filler: readonly Uint8Array[]) =>
    join(
      bytesOf('\x89PNG\r\n\x1a\n'),
      pngChunk('IHDR', header),
      ...chunks,
      ...filler,
      ...Array.from({ length: frames }, (_, index) => frameControl(index)),
      pngChunk('IDAT', data),
      pngChunk('IEND', Buffer.alloc(0)),
    );
  const packed = deflateSync(pixels);
  const plain = build(packed, []);
  return padTo === undefined ? plain : build(...pngFilling(packed, padTo - plain.length));
}

function frameControl(index: number): Sample {
  return pngChunk('fcTL', join(uint(index, 4, 'BE'), uint(1, 4, 'BE'), uint(1, 4, 'BE'), Buffer.alloc(14)));
}

/** Fills up with empty stored blocks, which all readers accept as pixels, and the odd rest with a text. */
function pngFilling(packed: Uint8Array, missing: number): [Uint8Array, Uint8Array[]] {
  const blocks = Math.floor((missing - 20) / 5);
  const text = pngChunk('tEXt', bytesOf('pad\0'.padEnd(missing - 12 - 5 * blocks, 'x')));
  const empty = Buffer.alloc(5 * blocks, Buffer.from([0, 0, 0, 0xff, 0xff]));
  return [join(packed.subarray(0, 2), empty, packed.subarray(2)), [text]];
}

// JPEG

type JpegParts = Size & Padded & { readonly segments?: readonly Uint8Array[]; readonly scans?: number };

export function jpegSegment(marker: number, data: Uint8Array): Sample {
  return join(Buffer.from([0xff, marker]), uint(data.length + 2, 2, 'BE'), data);
}

/** The picture is grey and baseline: each block is two bits, "as the one before" and "nothing else". */
export function makeJpeg({ width = 16, height = 16, segments = [], scans = 1, padTo }: JpegParts = {}): Sample {
  const codes = Buffer.concat([Buffer.from([1]), Buffer.alloc(15), Buffer.from([0])]);
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const scan = join(jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])), Buffer.alloc(Math.ceil((blocks * 2) / 8)));
  const head = join(
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xe0, bytesOf('JFIF\0\x01\x01\0\0\x01\0\x01\0\0')),
    ...segments,
    jpegSegment(0xdb, join(Buffer.alloc(1), Buffer.alloc(64, 1))),
    jpegSegment(
      0xc0,
      join(Buffer.from([8]), uint(height, 2, 'BE'), uint(width, 2, 'BE'), Buffer.from([1, 1, 0x11, 0])),
    ),
    jpegSegment(0xc4, join(Buffer.from([0x00]), codes)),
    jpegSegment(0xc4, join(Buffer.from([0x10]), codes)),
  );
  const body = join(head, ...Array.from({ length: scans }, () => scan));
  // Any number of 0xFF bytes may precede a marker.
  return join(body, Buffer.alloc(Math.max(0, (padTo ?? 0) - body.length - 2), 0xff), Buffer.from([0xff, 0xd9]));
}

// GIF

type GifParts = Size & { readonly frames?: number; readonly frame?: Size; readonly comment?: Uint8Array };

export function makeGif({ width = 4, height = 4, frames = 1, frame = {}, comment }: GifParts = {}): Sample {
  const { width: frameWidth = 1, height: frameHeight = 1 } = frame;
  const picture = join(
    bytesOf('\x2c\0\0\0\0'),
    uint(frameWidth, 2, 'LE'),
    uint(frameHeight, 2, 'LE'),
    // The image has no table of its own; its codes have two bits: clear, colour 0, end.
    Buffer.from([0, 2, 2, 0x44, 0x01, 0]),
  );
  return join(
    bytesOf('GIF89a'),
    uint(width, 2, 'LE'),
    uint(height, 2, 'LE'),
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...(comment === undefined ? [] : [bytesOf('\x21\xfe'), gifBlocks(comment)]),
    ...Array.from({ length: frames }, () => picture),
    bytesOf('\x3b'),
  );
}

function gifBlocks(data: Uint8Array): Sample {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  return join(...blocks, Buffer.alloc(1));
}

// WebP

type WebpParts = Size & { readonly frames?: number; readonly metadata?: Uint8Array };

export function riffChunk(id: string, data: Uint8Array): Sample {
  return join(bytesOf(id), uint(data.length, 4, 'LE'), data, Buffer.alloc(data.length % 2));
}

/** The picture has one colour and is lossless. Codes of a single symbol need no bits, so a picture of any size has the same length. */
export function makeWebp({ width = 4, height = 4, frames = 0, metadata }: WebpParts = {}): Sample {
  const size = (width - 1) | ((height - 1) << 14);
  const picture = riffChunk(
    'VP8L',
    join(Buffer.from([0x2f]), uint(size >>> 0, 4, 'LE'), Buffer.from([0x88, 0x88, 0x08])),
  );
  const canvas = join(uint(width - 1, 3, 'LE'), uint(height - 1, 3, 'LE'));
  const frame = riffChunk('ANMF', join(Buffer.alloc(6), canvas, uint(100, 3, 'LE'), Buffer.alloc(1), picture));
  const isExtended = frames > 0 || metadata !== undefined;
  const flags = (frames > 0 ? 0x02 : 0) | (metadata === undefined ? 0 : 0x08);
  const body = join(
    bytesOf('WEBP'),
    ...(isExtended ? [riffChunk('VP8X', join(Buffer.from([flags, 0, 0, 0]), canvas))] : []),
    ...(frames > 0 ? [riffChunk('ANIM', Buffer.alloc(6)), ...Array.from({ length: frames }, () => frame)] : [picture]),
    ...(metadata === undefined ? [] : [riffChunk('EXIF', metadata)]),
  );
  return join(bytesOf('RIFF'), uint(body.length, 4, 'LE'), body);
}

// PDF

export type PdfParts = Padded & {
  readonly pages?: number;
  /** The number of pages in the page tree, if it differs from the real one. */
  readonly claimedPages?: number;
  readonly javascript?: boolean;
  readonly launch?: boolean;
  readonly embeddedFile?: boolean;
  /** The PDF needs a password. */
  readonly encrypted?: boolean;
  /** The page tree contains itself. */
  readonly recursivePages?: boolean;
  readonly objectStreamBomb?: boolean;
  /** A cross-reference section names itself as the one before it. */
  readonly xrefLoop?: boolean;
  /** Objects and cross-references are in deflated streams, as most programs write them. */
  readonly packed?: boolean;
  /** The unpacked size of the cross-references of a packed PDF. */
  readonly xrefBombBytes?: number;
  /** The same, packed in runs, which makes them only 64 times smaller. */
  readonly xrefRunBytes?: number;
  /** Further entries of the catalogue, of each page and of the trailer, and further objects from number 1000 on. */
  readonly catalog?: string;
  readonly page?: string;
  /** Further entries of the page tree, which all pages inherit. */
  readonly allPages?: string;
  readonly trailer?: string;
  readonly objects?: readonly (string | Uint8Array)[];
};

const FIRST_FURTHER_OBJECT = 1000;

export function makePdf(parts: PdfParts = {}): Sample {
  const further = [...(parts.objects ?? []), ...(parts.objectStreamBomb === true ? [objectStreamBomb()] : [])];
  const objects = new Map(pdfObjects(parts).map((body, index) => [index + 1, body] as const));
  const streams = new Map(further.map((body, index) => [FIRST_FURTHER_OBJECT + index, join(asBytes(body))] as const));
  const file = parts.packed === true ? packedPdf(objects, { streams, parts }) : plainPdf(objects, { streams, parts });
  const tail = bytesOf(`startxref\n${file.xrefOffset}\n%%EOF\n`);
  const filling = Math.max(0, (parts.padTo ?? 0) - file.bytes.length - tail.length - 2);
  const filler = parts.padTo === undefined ? '' : `%${'x'.repeat(filling)}\n`;
  return join(file.bytes, bytesOf(filler), tail);
}

function asBytes(body: string | Uint8Array): Uint8Array {
  return typeof body === 'string' ? bytesOf(body) : body;
}

function pdfObjects(parts: PdfParts): string[] {
  const { pages = 1, claimedPages = pages, catalog = '', page = '', allPages = '' } = parts;
  const actions = [
    parts.javascript === true ? '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>' : '',
    parts.launch === true ? '/OpenAction << /S /Launch /F (a.exe) >>' : '',
    parts.embeddedFile === true ? '/Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (a) >>] >> >>' : '',
  ];
  const kids = Array.from({ length: pages }, (_, index) => `${index + 3} 0 R`);
  return [
    `<< /Type /Catalog /Pages 2 0 R ${actions.join(' ')} ${catalog} >>`,
    `<< /Type /Pages /Kids [${parts.recursivePages === true ? '2 0 R' : kids.join(' ')}] /Count ${claimedPages} ${allPages} >>`,
    ...kids.map(() => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] ${page} >>`),
  ];
}

export function pdfStream(dict: string, data: Uint8Array): Sample {
  return join(bytesOf(`<< ${dict} /Length ${data.length} >>\nstream\n`), data, bytesOf('\nendstream'));
}

function objectStreamBomb(): Sample {
  return pdfStream('/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode', bomb(200 * 1_048_576, 0x20));
}

/** Deflates that many repetitions of one byte, a thousand times smaller, without ever holding all of them. */
function bomb(unpackedBytes: number, byte: number): Sample {
  const megabyte = deflateRawSync(Buffer.alloc(1_048_576, byte), { finishFlush: constants.Z_FULL_FLUSH });
  const count = Math.ceil(unpackedBytes / 1_048_576);
  return join(Buffer.from([0x78, 0x9c]), Buffer.alloc(megabyte.length * count, megabyte), Buffer.from([3, 0]));
}

/** Packs zeros 64 times smaller, in the way that is not Flate. */
function zeroRuns(unpackedBytes: number): Sample {
  const run = Buffer.from([0x81, 0]);
  return Buffer.alloc(run.length * Math.ceil(unpackedBytes / 128), run);
}

/**
 * A PDF of less than three kilobytes that takes a parser many seconds, although no stream of it unpacks to much: each of its pages has the same
 * thousands of annotations.
 */
export function slowPdf(): Sample {
  const annotations = '1000 0 R '.repeat(6_500);
  const annotation = '<< /Type /Annot /Subtype /Square /Rect [0 0 9 9] >>';
  return makePdf({ pages: 200, packed: true, allPages: `/Annots [${annotations}]`, objects: [annotation] });
}

type Written = { readonly bytes: Sample; readonly xrefOffset: number };
type PdfObjects = ReadonlyMap<number, string>;
type PdfStreams = ReadonlyMap<number, Uint8Array>;
type PdfMore = { readonly streams: PdfStreams; readonly parts: PdfParts };

function writeObjects(bodies: Iterable<readonly [number, Uint8Array]>): {
  bytes: Sample;
  offsets: Map<number, number>;
} {
  const pieces: Uint8Array[] = [bytesOf('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n')];
  const offsets = new Map<number, number>();
  let offset = pieces[0]?.length ?? 0;
  for (const [number, body] of bodies) {
    const piece = join(bytesOf(`${number} 0 obj\n`), body, bytesOf('\nendobj\n'));
    offsets.set(number, offset);
    pieces.push(piece);
    offset += piece.length;
  }
  return { bytes: join(...pieces), offsets };
}

function plainPdf(objects: PdfObjects, { streams, parts }: PdfMore): Written {
  const bodies = [...objects].map(([number, body]) => [number, bytesOf(body)] as const);
  const { bytes, offsets } = writeObjects([...bodies, ...streams]);
  const lines = [...offsets].map(([number, at]) => `${number} 1\n${String(at).padStart(10, '0')} 00000 n \n`);
  const password = `/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <${'5a'.repeat(32)}> /U <${'a5'.repeat(32)}> >>`;
  const trailer = [
    `/Size ${FIRST_FURTHER_OBJECT + streams.size} /Root 1 0 R /ID [<${'11'.repeat(16)}> <${'11'.repeat(16)}>]`,
    parts.trailer ?? '',
    parts.encrypted === true ? password : '',
    parts.xrefLoop === true ? `/Prev ${bytes.length}` : '',
  ];
  const xref = `xref\n0 1\n0000000000 65535 f \n${lines.join('')}trailer\n<< ${trailer.join(' ')} >>\n`;
  return { bytes: join(bytes, bytesOf(xref)), xrefOffset: bytes.length };
}

function packedPdf(objects: PdfObjects, { streams, parts }: PdfMore): Written {
  const packNumber = FIRST_FURTHER_OBJECT - 1;
  const xrefNumber = FIRST_FURTHER_OBJECT + streams.size;
  let at = 0;
  const index: string[] = [];
  for (const [number, body] of objects) {
    index.push(`${number} ${at}`);
    at += body.length + 1;
  }
  const first = `${index.join(' ')}\n`;
  const pack = deflateSync(bytesOf(first + [...objects.values()].join('\n')));
  const dict = `/Type /ObjStm /N ${objects.size} /First ${first.length} /Filter /FlateDecode`;
  const { bytes, offsets } = writeObjects([[packNumber, pdfStream(dict, pack)], ...streams]);
  const rows = Array.from({ length: xrefNumber + 1 }, (_, number) => {
    const place = objects.has(number) ? [2, packNumber, number - 1] : [1, offsets.get(number) ?? bytes.length, 0];
    const isFree = !objects.has(number) && !offsets.has(number) && number !== xrefNumber;
    const [kind = 0, where = 0, slot = 0] = isFree ? [0, 0, 0] : place;
    return join(uint(kind, 1, 'BE'), uint(where, 4, 'BE'), uint(slot, 2, 'BE'));
  });
  const { xrefBombBytes, xrefRunBytes } = parts;
  const hugeBytes = xrefBombBytes ?? xrefRunBytes;
  const size = hugeBytes === undefined ? rows.length : Math.floor(hugeBytes / 1_000_005);
  const shape = `/Size ${size} /W [1 4 ${hugeBytes === undefined ? 2 : 1_000_000}]`;
  const filter = xrefRunBytes === undefined ? 'FlateDecode' : 'RunLengthDecode';
  const xrefDict = `/Type /XRef ${shape} /Root 1 0 R /Filter /${filter}`;
  const table = packedTable(join(...rows), parts);
  const xref = join(bytesOf(`${xrefNumber} 0 obj\n`), pdfStream(xrefDict, table), bytesOf('\nendobj\n'));
  return { bytes: join(bytes, xref), xrefOffset: bytes.length };
}

function packedTable(rows: Sample, { xrefBombBytes, xrefRunBytes }: PdfParts): Sample {
  if (xrefRunBytes !== undefined) return zeroRuns(xrefRunBytes);
  return xrefBombBytes === undefined ? deflateSync(rows) : bomb(xrefBombBytes, 0);
}

// Others

/** Returns an archive of one empty file. */
export function makeZip(name = 'a.txt'): Sample {
  const local = join(
    bytesOf('PK\x03\x04\x14\0'),
    Buffer.alloc(20),
    uint(name.length, 2, 'LE'),
    Buffer.alloc(2),
    bytesOf(name),
  );
  const entry = join(
    bytesOf('PK\x01\x02\x14\0\x14\0'),
    Buffer.alloc(20),
    uint(name.length, 2, 'LE'),
    Buffer.alloc(16),
    bytesOf(name),
  );
  const counts = join(Buffer.alloc(4), uint(1, 2, 'LE'), uint(1, 2, 'LE'));
  const end = join(
    bytesOf('PK\x05\x06'),
    counts,
    uint(entry.length, 4, 'LE'),
    uint(local.length, 4, 'LE'),
    Buffer.alloc(2),
  );
  return join(local, entry, end);
}
