function cbor(): Codec;
