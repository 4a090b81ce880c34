//! The syntax tree of Perl.

use crate::ir::{BinaryOp, CompareOp, LogicOp, Name};

/// How a variable is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declaration {
    My,
    Our,
    Local,
    State,
}

/// The operator of an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AssignOp {
    Plain,
    Concat,
    Repeat,
    Binary(BinaryOp),
    Logic(LogicOp),
}

/// Where the execution goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    Last,
    Next,
    Redo,
}

/// A function: its parameters (`my (…) = @_` of a signature come first) and its body.
#[derive(Debug)]
pub(super) struct Sub {
    pub(super) body: Vec<Stmt>,
}

#[derive(Debug)]
pub(super) enum Node {
    Text(String),
    Int(i64),
    /// A number that is not followed.
    Number,
    /// A word that stands for itself: a class, a file handle, a text.
    Word(String),
    Scalar(Name),
    Array(Name),
    Hash(Name),
    /// `\&name`, `defined &name`.
    Code(Name),
    Glob(Name),
    Deref(char, Box<Node>),
    /// `$#array`.
    LastIndex(Box<Node>),
    Element(Box<Node>, Box<Node>),
    /// Several elements; keys too if the last is set.
    Slice(Box<Node>, Box<Node>, bool),
    /// `(list)[places]`.
    ListSlice(Box<Node>, Box<Node>),
    Declare(Declaration, Vec<Node>, bool),
    Assign(AssignOp, Box<Node>, Box<Node>),
    Chain(Box<Node>, Vec<(BinaryOp, Node)>),
    Concat(Vec<Node>),
    Repeat(Box<Node>, Box<Node>),
    Range(Box<Node>, Box<Node>),
    Logic(LogicOp, Vec<Node>),
    Compare(Box<Node>, CompareOp, Box<Node>),
    /// Comparison as texts, or `<=>`: only its operands matter.
    Order(&'static str, Box<Node>, Box<Node>),
    Not(Box<Node>),
    Negative(Box<Node>),
    Invert(Box<Node>),
    Increment {
        target: Box<Node>,
        by: i64,
        before: bool,
    },
    Ternary(Box<[Node; 3]>),
    List(Vec<Node>),
    AnonArray(Box<Node>),
    AnonHash(Box<Node>),
    AnonSub(Box<Sub>),
    Reference(Box<Node>),
    /// A function of the language.
    Builtin(String, Vec<Node>),
    /// A function of the language whose first argument is a block or an expression that is run for each item.
    Each(String, Box<Sub>, Vec<Node>),
    /// `print HANDLE list` and the like.
    Print(String, Option<Box<Node>>, Vec<Node>),
    /// A function of the program or of a library.
    Call(Name, Vec<Node>),
    /// A call of a value; without arguments it sees those of the caller.
    CallValue(Box<Node>, Option<Vec<Node>>),
    Method(Box<Node>, String, Vec<Node>),
    /// The name of the method is computed, or it is a function.
    DynamicMethod(Box<Node>, Box<Node>, Vec<Node>),
    /// A text with parts that are computed.
    Build(Vec<Node>),
    /// The items of a list inside of a text.
    Joined(Box<Node>),
    Match {
        target: Option<Box<Node>>,
        pattern: Box<Node>,
        flags: String,
        negated: bool,
    },
    Subst {
        target: Option<Box<Node>>,
        pattern: Box<Node>,
        to: Box<Node>,
        flags: String,
    },
    Trans {
        target: Option<Box<Node>>,
        from: String,
        to: String,
        flags: String,
    },
    /// `qr//`.
    Pattern(Box<Node>, String),
    /// A pattern with the code in it.
    PatternCode(Box<Node>, Vec<Sub>),
    Readline(Box<Node>),
    Glob2(Box<Node>),
    Backtick(Box<Node>),
    EvalBlock(Box<Sub>),
    DoBlock(Vec<Stmt>),
    FileTest(Option<Box<Node>>),
    Return(Option<Box<Node>>),
    Jump(Jump, Option<Name>),
    /// `goto &function`.
    Goto(Box<Node>),
    Undefined,
    Wantarray,
}

#[derive(Debug)]
pub(super) enum Stmt {
    Expr(Node),
    Block(Vec<Stmt>),
    If(Vec<(Option<Node>, Vec<Stmt>)>),
    While {
        test: Option<Node>,
        body: Vec<Stmt>,
        step: Vec<Stmt>,
        first: bool,
    },
    ForC {
        start: Option<Node>,
        test: Option<Node>,
        step: Option<Node>,
        body: Vec<Stmt>,
    },
    Foreach {
        variable: Option<Node>,
        list: Node,
        body: Vec<Stmt>,
    },
    Labeled(Name, Box<Stmt>),
    Sub(Name, Box<Sub>),
    /// Runs at once.
    Begin(Box<Sub>),
    End(Box<Sub>),
    Use {
        module: String,
        list: Option<Node>,
    },
}

impl Node {
    /// Several values in a list.
    pub(super) fn into_list(self) -> Vec<Self> {
        match self {
            Self::List(nodes) => nodes,
            other => vec![other],
        }
    }
}

/// `my target = value`.
pub(super) fn assignment(target: Node, value: Node) -> Stmt {
    let target = Node::Declare(Declaration::My, vec![target], false);
    Stmt::Expr(Node::Assign(AssignOp::Plain, Box::new(target), Box::new(value)))
}
