interface Codec {
    readonly mediaType: string;
    readonly watchMediaType: string;
    supports(target: CodecTarget): boolean;
    encode(object: object): Uint8Array;
    decode(bytes: Uint8Array, options?: DecodeOptions): object;
    createListDecoder(options?: DecodeOptions): ListDecoder;
    createWatchDecoder(options?: DecodeOptions & {
        readonly maxFrameBytes?: number | undefined;
    }): WatchDecoder;
}

interface CodecTarget {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
    readonly custom?: boolean | undefined;
}

interface ListDecoder {
    push(chunk: Uint8Array): readonly object[];
    end(): {
        readonly items: readonly object[];
        readonly apiVersion?: string | undefined;
        readonly kind?: string | undefined;
        readonly metadata: ListMeta;
    };
}

interface RawWatchEvent {
    readonly type: string;
    readonly object: KubernetesObject;
}

interface WatchDecoder {
    push(chunk: Uint8Array): readonly RawWatchEvent[];
    end(): void;
}

function json(): Codec;
