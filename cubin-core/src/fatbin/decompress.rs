//! Payloads back to what was packed. The decoders are pure Rust and stand behind the feature `fatbin`.

#[cfg(feature = "fatbin")]
use alloc::vec::Vec;
use alloc::{borrow::Cow, format, string::String};

#[cfg(feature = "fatbin")]
use super::bytes::length;
use super::{Compression, Entry};
use crate::{ErrorKind, Result, consts::EntryKind, elf::Elf, limits};

/// Where the last structure of an ELF file ends: its tables, or the data of a section.
fn extent(elf: &Elf<'_>) -> u64 {
    let header = elf.header();
    let table = |start: u64, count: u32, size: usize| {
        start.saturating_add(u64::from(count).saturating_mul(size as u64))
    };
    elf.sections()
        .filter(|section| !section.ty.no_bits())
        .map(|section| section.offset.saturating_add(section.size))
        .chain([
            table(
                header.section_headers,
                header.section_count,
                header.class.section_header_size(),
            ),
            table(
                header.program_headers,
                header.program_header_count.into(),
                header.class.program_header_size(),
            ),
        ])
        .fold(u64::from(header.header_size), u64::max)
}

/// Most bytes that so many are unpacked to.
fn bound(bytes: usize) -> u64 {
    (bytes as u64)
        .saturating_mul(limits::FATBIN_RATIO)
        .saturating_add(limits::FATBIN_SLACK)
}

/// What the entries of one file may be unpacked to together: [`limits::FATBIN_RATIO`] times its length and
/// [`limits::FATBIN_SLACK`], so that a file of a million small entries costs no more than one large one.
#[derive(Debug, Clone)]
pub struct Budget {
    left: u64,
}

impl Budget {
    /// For a file of so many bytes.
    #[must_use]
    pub fn new(file: usize) -> Self {
        Self { left: bound(file) }
    }

    /// [`Entry::image`], taken off what is left. Stored payloads are free.
    ///
    /// # Errors
    /// As [`Entry::image`], and when the image is larger than what is left.
    pub fn image<'a>(&mut self, entry: &Entry<'a>) -> Result<Cow<'a, [u8]>> {
        let own = bound(entry.payload.len()).min(limits::FATBIN_IMAGE);
        if entry.uncompressed_size > self.left && entry.uncompressed_size <= own {
            return Err(entry.error(
                ErrorKind::Limit,
                &format!(
                    "it claims {} bytes after decompression, and {} are left of what the entries of this file may have together",
                    entry.uncompressed_size, self.left
                ),
            ));
        }
        // A damaged one is paid for too.
        self.left = self.left.saturating_sub(entry.uncompressed_size.min(own));
        entry.image_within(own)
    }
}

impl<'a> Entry<'a> {
    /// The payload, decompressed: the bytes of a cubin, PTX text with its NUL, or IR.
    ///
    /// No field gives the length of a stored payload, which is padded to 8 bytes. A stored cubin ends where its ELF
    /// structures end, as cuobjdump cuts it; one that cannot be read keeps its padding.
    ///
    /// # Errors
    /// When the payload is damaged, is not what its size field says, would be larger than [`limits::FATBIN_IMAGE`] or than
    /// [`limits::FATBIN_RATIO`] allows, is packed by a scheme that is not public, or when the crate was built without the
    /// feature `fatbin`. For all entries of a file there is [`Budget`].
    pub fn image(&self) -> Result<Cow<'a, [u8]>> {
        self.image_within(bound(self.payload.len()).min(limits::FATBIN_IMAGE))
    }

    /// A stored payload, a cubin without its padding.
    fn stored(&self) -> &'a [u8] {
        if !self.is_cubin() {
            return self.payload;
        }
        let end = Elf::parse(self.payload).map_or(u64::MAX, |elf| extent(&elf));
        let split = usize::try_from(end)
            .ok()
            .and_then(|end| self.payload.split_at_checked(end));
        match split {
            Some((cubin, padding))
                if padding.len() < 8 && padding.iter().all(|byte| *byte == 0) =>
            {
                cubin
            }
            _ => self.payload,
        }
    }

    /// [`image`](Self::image) with another bound, in bytes.
    ///
    /// # Errors
    /// As [`image`](Self::image).
    pub fn image_within(&self, limit: u64) -> Result<Cow<'a, [u8]>> {
        let compression = self.compression()?;
        if compression == Compression::Stored {
            return Ok(Cow::Borrowed(self.stored()));
        }
        if self.uncompressed_size > limit {
            return Err(self.error(
                ErrorKind::Limit,
                &format!(
                    "it claims {} bytes after decompression, the limit is {limit}",
                    self.uncompressed_size
                ),
            ));
        }
        match compression {
            #[cfg(not(feature = "fatbin"))]
            Compression::Lz4 | Compression::Zstd => Err(self.error(
                ErrorKind::Unsupported,
                "it is compressed; build cubin-core with the feature `fatbin` to read it",
            )),
            #[cfg(feature = "fatbin")]
            Compression::Lz4 => self.lz4().map(Cow::Owned),
            #[cfg(feature = "fatbin")]
            Compression::Zstd => self.zstd().map(Cow::Owned),
            _ => Err(self.error(
                ErrorKind::Unsupported,
                "its encoding is not public; `nvlink -lto` reads it, or build without `-dlto`",
            )),
        }
    }

    /// The text of a PTX entry, without the NULs at its end. fatbinary replaces comments by blank lines.
    ///
    /// # Errors
    /// When the entry holds no PTX, as [`image`](Self::image), or when the text is not UTF-8.
    pub fn ptx(&self) -> Result<String> {
        self.ptx_within(bound(self.payload.len()).min(limits::FATBIN_IMAGE))
    }

    /// [`ptx`](Self::ptx) with another bound, in bytes.
    ///
    /// # Errors
    /// As [`ptx`](Self::ptx).
    pub fn ptx_within(&self, limit: u64) -> Result<String> {
        if self.kind != EntryKind::PTX {
            return Err(self.error(ErrorKind::WrongFormat, "it holds no PTX"));
        }
        let mut text = self.image_within(limit)?.into_owned();
        while text.pop_if(|byte| *byte == 0).is_some() {}
        String::from_utf8(text).map_err(|error| {
            self.error(
                ErrorKind::Malformed,
                &format!(
                    "its PTX is not UTF-8 from byte {} on",
                    error.utf8_error().valid_up_to()
                ),
            )
        })
    }

    /// Length and end of a decompressed image against the header's word.
    #[cfg(feature = "fatbin")]
    fn check_length(&self, image: Vec<u8>) -> Result<Vec<u8>> {
        if length(&image) == self.uncompressed_size {
            return Ok(image);
        }
        Err(self.error(
            ErrorKind::Malformed,
            &format!(
                "it holds {} bytes after decompression, its header says {}",
                image.len(),
                self.uncompressed_size
            ),
        ))
    }

    #[cfg(feature = "fatbin")]
    fn lz4(&self) -> Result<Vec<u8>> {
        // A token byte of 0xff per 255 bytes is the best that LZ4 can do: refuse before allocating what cannot come.
        let best = length(self.payload).saturating_mul(255);
        if self.uncompressed_size > best {
            return Err(self.error(ErrorKind::Malformed, &format!(
                "it claims {} bytes after decompression, but {} bytes of LZ4 give at most {best}",
                self.uncompressed_size,
                self.payload.len()
            )));
        }
        let size = usize::try_from(self.uncompressed_size)
            .map_err(|_| self.error(ErrorKind::Limit, "it is larger than the address space"))?;
        let mut image = vec![0; size];
        let written =
            lz4_flex::block::decompress_into(self.payload, &mut image).map_err(|error| {
                self.error(
                    ErrorKind::Malformed,
                    &format!("its LZ4 block is damaged: {error}"),
                )
            })?;
        image.truncate(written);
        self.check_length(image)
    }

    #[cfg(feature = "fatbin")]
    fn zstd(&self) -> Result<Vec<u8>> {
        #[cfg(feature = "zstd")]
        let image = self.libzstd();
        #[cfg(not(feature = "zstd"))]
        let image = self.ruzstd();
        image
    }

    /// Straight into the image, by the C library.
    #[cfg(feature = "zstd")]
    fn libzstd(&self) -> Result<Vec<u8>> {
        let size = usize::try_from(self.uncompressed_size)
            .map_err(|_| self.error(ErrorKind::Limit, "it is larger than the address space"))?;
        // Not touched before something is written there; a frame that holds more is an error.
        let mut image = Vec::with_capacity(size);
        match zstd_safe::decompress(&mut image, self.payload) {
            Ok(_) => self.check_length(image),
            Err(code) => Err(self.error(
                ErrorKind::Malformed,
                &format!(
                    "its zstd frame is damaged, or its header says {} bytes, too few: {}",
                    self.uncompressed_size,
                    zstd_safe::get_error_name(code)
                ),
            )),
        }
    }

    /// By the Rust decoder, which keeps what later blocks may refer to, the whole frame in NVIDIA's: at its end that stands
    /// beside the image, in a buffer of up to twice its size.
    #[cfg(all(feature = "fatbin", not(feature = "zstd")))]
    fn ruzstd(&self) -> Result<Vec<u8>> {
        use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

        /// Decoded at a time: bounds what a lying frame can produce beyond the size its header gives.
        const STEP: usize = 1 << 20;

        let damaged = |error: &dyn core::fmt::Display| {
            self.error(
                ErrorKind::Malformed,
                &format!("its zstd frame is damaged: {error}"),
            )
        };
        let mut source = self.payload;
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(self.uncompressed_size.max(limits::ZSTD_WINDOW));
        decoder.init(&mut source).map_err(|error| damaged(&error))?;
        // Grows with what really comes out, never with what the header claims.
        let mut image = Vec::new();
        loop {
            let finished = decoder
                .decode_blocks(&mut source, BlockDecodingStrategy::UptoBytes(STEP))
                .map_err(|error| damaged(&error))?;
            // One growth, and exactly.
            if finished {
                image.reserve_exact(decoder.can_collect());
            }
            decoder
                .collect_to_writer(&mut image)
                .map_err(|error| damaged(&error))?;
            if finished || length(&image) > self.uncompressed_size {
                return self.check_length(image);
            }
        }
    }
}
