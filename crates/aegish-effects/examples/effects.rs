//! Prints the effects of a command given as argument: `cargo run -p aegish-effects --example effects -- 'CMD'`.
#![allow(clippy::print_stdout)]

fn main() {
    for text in std::env::args().skip(1) {
        let script = aegish_syntax::parse(&text);
        let context = aegish_effects::Context::bare();
        let analysis = aegish_effects::analyze(&script, &context);
        println!("$ {text}");
        for (index, command) in analysis.commands.iter().enumerate() {
            let argv: Vec<String> = command.argv.iter().map(ToString::to_string).collect();
            println!(
                "  [{index}] {:?} {argv:?} {:?}",
                command.program, command.door
            );
            for effect in analysis
                .effects
                .iter()
                .filter(|effect| effect.command == index)
            {
                println!("        {}", effect.act);
            }
        }
    }
}
