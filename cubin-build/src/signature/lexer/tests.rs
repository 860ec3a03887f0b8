use super::*;

fn all(text: &str) -> Vec<Token> {
    let mut lexer = Lexer::over(text.as_bytes());
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next().expect("a token");
        if token.kind == TokenKind::End {
            return tokens;
        }
        tokens.push(token);
    }
}

#[test]
fn markers_are_read_alike_on_both_ways() {
    // The second of each pair names the same file, with flags or without, at the end of the text or not.
    let text = "# 1 \"a b.h\"\nx\n# 7 \"a b.h\" 3\ny\n# 0 \"a b.h\"\nz\n# 9 \"a b.hh\"\nu\n\
                # 99999999999 \"a b.hh\"\nv\n# 3 \"a b.hh\"";
    let places: Vec<(Option<u32>, u32)> = all(text)
        .iter()
        .map(|token| (token.place.file, token.place.line))
        .collect();
    // What is not a number leaves the count as it was.
    let expected = [(0, 1), (0, 7), (0, 1), (1, 9), (1, 11)];
    assert_eq!(places, expected.map(|(file, line)| (Some(file), line)));
}

#[test]
fn markers_give_places() {
    let tokens = all("# 40 \"a b.cu\"\nint x;\n# 7 \"/u/h.h\" 3\n  y");
    assert_eq!(
        tokens[0].place,
        Position {
            file: Some(0),
            line: 40
        }
    );
    let last = tokens.last().expect("y");
    assert_eq!(
        last.place,
        Position {
            file: Some(1),
            line: 7
        }
    );
    assert_eq!(last.line, 4);
}

#[test]
fn packing_nests() {
    let tokens = all(
        "a\n#pragma pack(push, 2)\nb\n#pragma pack(1)\nc\n#pragma pack(pop)\nd\n#pragma pack(4)\ne\n#pragma pack()\nf",
    );
    let packs: Vec<u16> = tokens.iter().map(|token| token.pack).collect();
    assert_eq!(packs, [0, 2, 1, 0, 4, 0]);
}

#[test]
fn host_blocks_are_passed() {
    let tokens = all("a\n#if !defined(__CUDABE__)\nb { \"\n#if 1\n#endif\n#endif\nc");
    assert_eq!(tokens.len(), 2);
}

#[test]
fn bodies_are_passed_whole() {
    let mut lexer = Lexer::over("{ \"}\" '}' /* } */ { } // }\n } rest".as_bytes());
    lexer.next().expect("the brace");
    lexer.skip_braces(1).expect("a closed body");
    assert_eq!(
        lexer.next().expect("a token").kind,
        TokenKind::Ident("rest".into())
    );
}

#[test]
fn an_open_body_is_an_error() {
    let mut lexer = Lexer::over("{ {} ".as_bytes());
    lexer.next().expect("the brace");
    assert!(lexer.skip_braces(1).is_err());
}
