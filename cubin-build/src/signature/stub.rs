//! Reads `X.cudafe1.stub.c`: the host side that nvcc's front end writes for the kernels of a file.
//!
//! Yields, per kernel, the exact C++ types, the qualified C++ name, the device symbol, the launch bound and
//! the offsets at which the host code would set the arguments; per device variable, name, symbol, size and
//! kind; and the C++ spelling of every mangled type name. The text has had one shape since CUDA 7 or so:
//! `__cudaRegisterEntry(h, ((void (*)(TYPES))NAME), SYMBOL, MAXTHREADS)`.

use super::ctype::RawParam;
use super::error::Error;
use super::lexer::{LexError, Lexer, TokenKind};
use super::names;
use super::parser::{Parser, Trouble, number};
use crate::sorted::Map;

/// One registered kernel.
#[derive(Debug, Clone)]
pub(super) struct Registered {
    pub symbol: String,
    pub params: Vec<RawParam>,
    /// As written, spaces normalised: `ns::k<float, (int)8>`.
    pub name: String,
    pub max_threads: Option<u32>,
    /// Name of the stub function behind `__device_stub_`: mangled with parameter types, extern "C" or not.
    pub mangled: Option<String>,
    /// Argument offsets by the host's layout rules, when the stub function was found.
    pub offsets: Vec<u64>,
}

/// One registered variable.
#[derive(Debug, Clone)]
pub(super) struct Variable {
    pub symbol: String,
    pub name: String,
    pub size: u64,
    pub constant: bool,
    pub managed: bool,
}

/// Everything read from one file.
#[derive(Debug, Default)]
pub(super) struct Stub {
    /// In order of definition: registration runs from the last to the first.
    pub entries: Vec<Registered>,
    pub variables: Vec<Variable>,
    /// Mangled type name to its C++ spelling.
    pub typedefs: Map<String, String>,
}

/// Longest argument list read, in tokens.
const MAX_TOKENS: usize = 1 << 20;

fn fatal(error: LexError) -> Error {
    Error::stub(error.line, error.message)
}

/// Reads a whole file.
pub(super) fn read(text: &[u8]) -> Result<Stub, Error> {
    let mut lexer = Lexer::over(text);
    let mut stub = Stub::default();
    let mut launches: Map<Vec<TokenKind>, (Option<String>, Vec<u64>)> = Map::new();
    let mut current: Option<String> = None;
    let mut offsets = Vec::new();
    let mut casts = Vec::new();
    loop {
        let token = lexer.next().map_err(fatal)?;
        let word = match token.kind {
            TokenKind::End => break,
            TokenKind::Ident(word) => word,
            _ => continue,
        };
        match word.as_str() {
            "typedef" => typedef(&mut lexer, &mut stub)?,
            "__cudaLaunchPrologue" => offsets.clear(),
            "__cudaSetupArg" | "__cudaSetupArgSimple" => {
                let arguments = arguments(&mut lexer)?;
                let [_, offset] = arguments.as_slice() else {
                    continue;
                };
                if let [TokenKind::Number(offset)] = offset.as_slice()
                    && let Some(offset) = number(offset).and_then(|n| u64::try_from(n).ok())
                {
                    offsets.push(offset);
                }
            }
            "__cudaLaunch" => {
                let arguments = arguments(&mut lexer)?;
                if let Some(cast) = arguments.first().and_then(|tokens| launched(tokens)) {
                    launches.insert(
                        cast.to_vec(),
                        (current.take(), std::mem::take(&mut offsets)),
                    );
                }
            }
            "__cudaRegisterEntry" => {
                let line = token.line;
                let arguments = arguments(&mut lexer)?;
                let (entry, cast) = entry(&arguments, line)?;
                stub.entries.push(entry);
                casts.push(cast);
            }
            "__cudaRegisterVariable" | "__cudaRegisterManagedVariable" => {
                let line = token.line;
                let arguments = arguments(&mut lexer)?;
                let managed = word == "__cudaRegisterManagedVariable";
                stub.variables.push(variable(&arguments, managed, line)?);
            }
            _ => {
                if let Some(mangled) = word.strip_prefix("__device_stub_") {
                    current = Some(mangled.to_owned());
                }
            }
        }
    }
    for (entry, cast) in stub.entries.iter_mut().zip(casts) {
        if let Some(launch) = launches.get_mut(&cast) {
            (entry.mangled, entry.offsets) = std::mem::take(launch);
        }
    }
    stub.entries.reverse();
    Ok(stub)
}

/// `typedef ns::Inner _ZN2ns5InnerE;`, the `typedef` already taken.
fn typedef(lexer: &mut Lexer<'_>, stub: &mut Stub) -> Result<(), Error> {
    let mut tokens = Vec::new();
    loop {
        match lexer.next().map_err(fatal)?.kind {
            TokenKind::End | TokenKind::Punct(b';') => break,
            kind => tokens.push(kind),
        }
        if tokens.len() > MAX_TOKENS {
            return Ok(());
        }
    }
    if let Some(TokenKind::Ident(name)) = tokens.pop() {
        stub.typedefs.insert(name, names::text(&tokens));
    }
    Ok(())
}

/// The arguments of a call, split at the commas outside brackets. Nothing when no `(` follows.
fn arguments(lexer: &mut Lexer<'_>) -> Result<Vec<Vec<TokenKind>>, Error> {
    let open = lexer.next().map_err(fatal)?;
    if open.kind != TokenKind::Punct(b'(') {
        return Ok(Vec::new());
    }
    let mut arguments = vec![Vec::new()];
    let mut depth = 1_u32;
    let mut tokens = 0;
    loop {
        let token = lexer.next().map_err(fatal)?;
        match token.kind {
            TokenKind::End => {
                return Err(Error::stub(
                    open.line,
                    "ends inside the arguments of a call",
                ));
            }
            TokenKind::Punct(b'(' | b'[' | b'{') => depth += 1,
            TokenKind::Punct(b')' | b']' | b'}') => depth -= 1,
            TokenKind::Punct(b',') if depth == 1 => {
                arguments.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            return Ok(arguments);
        }
        tokens += 1;
        if tokens > MAX_TOKENS {
            return Err(Error::stub(
                open.line,
                format!("has a call of over {MAX_TOKENS} tokens"),
            ));
        }
        if let Some(last) = arguments.last_mut() {
            last.push(token.kind);
        }
    }
}

/// Of `((char *)((void (*)(TYPES))NAME))`, the inner cast.
fn launched(tokens: &[TokenKind]) -> Option<&[TokenKind]> {
    let [
        TokenKind::Punct(b'('),
        TokenKind::Punct(b'('),
        TokenKind::Ident(_),
        TokenKind::Punct(b'*'),
        TokenKind::Punct(b')'),
        inner @ ..,
        TokenKind::Punct(b')'),
    ] = tokens
    else {
        return None;
    };
    Some(inner)
}

/// Reads the arguments of `__cudaRegisterEntry`; also gives the tokens of the cast. Template arguments may hold commas,
/// so the cast is everything between the first and the last two.
fn entry(arguments: &[Vec<TokenKind>], line: u32) -> Result<(Registered, Vec<TokenKind>), Error> {
    let shape = || Error::stub(line, "has a kernel registration of unknown shape");
    let [_, cast @ .., symbol, threads] = arguments else {
        return Err(shape());
    };
    let cast = cast.join(&TokenKind::Punct(b','));
    let [TokenKind::Ident(symbol)] = symbol.as_slice() else {
        return Err(shape());
    };
    // ( ( void ( * ) ( TYPES ) ) NAME )
    let [
        TokenKind::Punct(b'('),
        TokenKind::Punct(b'('),
        TokenKind::Ident(void),
        TokenKind::Punct(b'('),
        TokenKind::Punct(b'*'),
        TokenKind::Punct(b')'),
        rest @ ..,
        TokenKind::Punct(b')'),
    ] = cast.as_slice()
    else {
        return Err(shape());
    };
    if void != "void" {
        return Err(shape());
    }
    let mut depth = 0_usize;
    let end = rest
        .iter()
        .position(|kind| {
            match kind {
                TokenKind::Punct(b'(' | b'[') => depth += 1,
                TokenKind::Punct(b')' | b']') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
        .ok_or_else(shape)?;
    let (types, rest) = rest.split_at(end + 1);
    let [TokenKind::Punct(b')'), name @ ..] = rest else {
        return Err(shape());
    };
    let types = names::text(types);
    let mut parser = Parser::new(Lexer::over(types.as_bytes()));
    let params = parser.params().map_err(|trouble| {
        let message = match trouble {
            Trouble::Fatal(error) => error.message,
            Trouble::Syntax(message) => message,
        };
        Error::stub(
            line,
            format!("has parameter types of kernel {symbol} that cannot be read: {message}"),
        )
    })?;
    let entry = Registered {
        symbol: symbol.clone(),
        params,
        name: names::text(name),
        max_threads: threads.iter().find_map(|kind| match kind {
            // `(-1)` stands for no bound.
            _ if threads.contains(&TokenKind::Punct(b'-')) => None,
            TokenKind::Number(text) => number(text).and_then(|value| u32::try_from(value).ok()),
            _ => None,
        }),
        mangled: None,
        offsets: Vec::new(),
    };
    Ok((entry, cast))
}

/// `(h, __shadow_var(SYMBOL,::NAME), ext, SIZEUL, constant, 0)`.
fn variable(arguments: &[Vec<TokenKind>], managed: bool, line: u32) -> Result<Variable, Error> {
    let shape = || Error::stub(line, "has a variable registration of unknown shape");
    let [_, shadow, _, size, constant, ..] = arguments else {
        return Err(shape());
    };
    let [
        TokenKind::Ident(_),
        TokenKind::Punct(b'('),
        TokenKind::Ident(symbol),
        TokenKind::Punct(b','),
        name @ ..,
        TokenKind::Punct(b')'),
    ] = shadow.as_slice()
    else {
        return Err(shape());
    };
    let value = |tokens: &[TokenKind]| match tokens {
        [TokenKind::Number(text)] => number(text).and_then(|value| u64::try_from(value).ok()),
        _ => None,
    };
    // `(::dvar<float>)` for an instance of a variable template.
    let name = match name {
        [TokenKind::Punct(b'('), inner @ .., TokenKind::Punct(b')')] => inner,
        _ => name,
    };
    Ok(Variable {
        symbol: symbol.clone(),
        name: names::text(name),
        size: value(size).ok_or_else(shape)?,
        constant: value(constant).ok_or_else(shape)? != 0,
        managed,
    })
}

#[cfg(test)]
mod tests {
    use super::super::ctype::spell;
    use super::*;

    #[test]
    fn entries_variables_and_offsets() {
        let stub = read(
            b"typedef ns::Vec<    ::__half, (int)8>  _ZN2ns3VecI6__halfLi8EEE;
static void __device_stub__Z6k_tmplI6__halfLi8EEvN2ns3VecIT_XT0_EEEPS3_S3_(  _ZN2ns3VecI6__halfLi8EEE&__par0,  half *__par1,  half&__par2) {  __cudaLaunchPrologue(3); __cudaSetupArg(__par0, 0UL); __cudaSetupArgSimple(__par1, 16UL); __cudaSetupArg(__par2, 24UL); __cudaLaunch(((char *)((void ( *)( _ZN2ns3VecI6__halfLi8EEE, half *, half))k_tmpl<    ::__half, (int)8> ))); }
static void cb( void **__T18) { __cudaRegisterEntry(__T18, ((void ( *)( _ZN2ns3VecI6__halfLi8EEE, half *, half))k_tmpl<    ::__half, (int)8> ), _Z6k_tmplI6__halfLi8EEvN2ns3VecIT_XT0_EEEPS3_S3_, 128UL); __cudaRegisterEntry(__T18, ((void ( *)(void))ns::_NV_ANON_NAMESPACE::k), k, (-1));__cudaRegisterVariable(__T6, __shadow_var(_Z4dvarIfE,(::dvar<float> )), 0, 4UL, 1, 0); }",
        )
        .expect("a readable stub");
        let [first, second] = stub.entries.as_slice() else {
            panic!("two entries: {:?}", stub.entries);
        };
        assert_eq!(first.name, "ns::_NV_ANON_NAMESPACE::k");
        assert_eq!(first.max_threads, None);
        assert_eq!(second.name, "k_tmpl<::__half, (int)8>");
        assert_eq!(second.max_threads, Some(128));
        assert_eq!(second.offsets, [0, 16, 24]);
        assert_eq!(
            second.mangled.as_deref(),
            Some("_Z6k_tmplI6__halfLi8EEvN2ns3VecIT_XT0_EEEPS3_S3_")
        );
        let types: Vec<String> = second
            .params
            .iter()
            .map(|param| spell(&param.ty, &str::to_owned))
            .collect();
        assert_eq!(types, ["_ZN2ns3VecI6__halfLi8EEE", "half *", "half"]);
        assert_eq!(
            stub.typedefs["_ZN2ns3VecI6__halfLi8EEE"],
            "ns::Vec<::__half, (int)8>"
        );
        let [variable] = stub.variables.as_slice() else {
            panic!("one variable");
        };
        assert_eq!((variable.size, variable.constant), (4, true));
        assert_eq!(variable.name, "::dvar<float>");
    }

    #[test]
    fn managed_variables() {
        let stub = read(
            b"static void cb(void **h) { __cudaRegisterManagedVariable(h, __shadow_var(_ZN2ns2msE,::ns::ms), 0, 8UL, 0, 0); __cudaRegisterVariable(h, __shadow_var(plain,::plain), 0, 4UL, 0, 0); }",
        )
        .expect("a readable stub");
        let [managed, plain] = stub.variables.as_slice() else {
            panic!("two variables: {:?}", stub.variables);
        };
        assert_eq!((managed.managed, managed.size), (true, 8));
        assert_eq!(
            (managed.symbol.as_str(), plain.managed),
            ("_ZN2ns2msE", false)
        );
    }

    #[test]
    fn an_unknown_shape_is_an_error_with_a_line() {
        let error = read(b"\n\n__cudaRegisterEntry(h, k);").expect_err("no entry");
        assert!(error.to_string().contains("line 3"), "{error}");
    }
}
