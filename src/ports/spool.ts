// A place on disk for bytes that are needed again within one request. Encrypted, and gone when the request is.

export type SpooledFile = {
  readonly sizeBytes: number;
  /** The bytes from the start, as often as it is asked. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Deletes the bytes. May be called twice. */
  readonly dispose: () => Promise<void>;
};

export type SpoolWriter = {
  /** Resolves when the bytes are taken; wait for it before the next one. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly finish: () => Promise<SpooledFile>;
  /** Deletes what was written. May be called at any time, also after `finish` or twice. */
  readonly discard: () => Promise<void>;
};

export type Spool = {
  readonly create: () => Promise<SpoolWriter>;
  /** False where the disk is so full that nothing more should be taken in. */
  readonly hasRoom: () => Promise<boolean>;
};
