//! The intermediate form that every inner language is lowered into.
//!
//! Takes nothing from the text but names and constants. Nesting is bounded by the lowering, so that a tree may be
//! evaluated and dropped by recursion.

#![allow(missing_docs)] // the names are those of the grammars

use std::rc::Rc;

/// A name of a variable, attribute or parameter.
pub type Name = Rc<str>;

/// Statements in order.
pub type Block = Vec<Statement>;

/// A constant of the text.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    Int(i64),
    Bool(bool),
    None,
    /// A number that is not followed.
    Number,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Mod,
    Pow,
    ShiftLeft,
    ShiftRight,
    BitOr,
    BitXor,
    BitAnd,
    UnsignedShiftRight,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOp {
    Equal,
    NotEqual,
    /// Values of different types may be equal too.
    LooseEqual,
    LooseNotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogicOp {
    And,
    Or,
    /// The first value that is there.
    Coalesce,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    Minus,
    Plus,
    Invert,
    TypeOf,
    Void,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComprehensionKind {
    List,
    Dict,
}

#[derive(Debug)]
pub enum Expr {
    /// An expression that is too deep or that the lowering does not know.
    Unknown,
    Constant(Constant),
    Name(Name),
    /// A text built of parts (f-string, template).
    Build(Vec<Expr>),
    /// `value:spec` inside of a built text; the specification is a built text.
    Formatted(Box<Expr>, Box<Expr>),
    /// A chain of operators that associate to the left: flat, so that its length does not nest.
    Chain(Box<Expr>, Vec<(BinaryOp, Expr)>),
    Unary(UnaryOp, Box<Expr>),
    Logic(LogicOp, Vec<Expr>),
    Compare(Box<Expr>, Vec<(CompareOp, Expr)>),
    Conditional(Box<[Expr; 3]>),
    List(Vec<Item>),
    Tuple(Vec<Item>),
    /// Pairs; without a key, the value is a map whose pairs are taken over.
    Dict(Vec<(Option<Expr>, Expr)>),
    Comprehension(Box<Comprehension>),
    Function(Rc<Function>),
    Call(Box<Call>),
    Attribute(Box<Expr>, Name),
    Index(Box<[Expr; 2]>),
    Slice(Box<Expr>, Box<[Option<Expr>; 3]>),
    Assign(Box<(Target, Expr)>),
    Yield(Option<Box<Expr>>),
    /// Gives what another generator gives.
    YieldFrom(Box<Expr>),
    /// The last of several values.
    Sequence(Vec<Expr>),
    /// A value that depends on the old one, which is assigned.
    Update(Box<Update>),
    /// The first value, or the second if the first is missing.
    Default(Box<[Expr; 2]>),
    /// A regular expression with its flags.
    Pattern(Rc<str>, Rc<str>),
    /// A function that is called when the attribute is read.
    Getter(Rc<Function>),
    Class(Rc<Class>),
    /// The keys of an object, as a loop over it sees them.
    Keys(Box<Expr>),
    /// Statements as an expression; the last one is its value if it is an expression.
    Block(Block),
}

#[derive(Debug)]
pub enum Item {
    One(Expr),
    Spread(Expr),
}

#[derive(Debug)]
pub struct Comprehension {
    pub kind: ComprehensionKind,
    pub key: Option<Expr>,
    pub element: Expr,
    pub clauses: Vec<Clause>,
}

#[derive(Debug)]
pub struct Clause {
    pub target: Target,
    pub iterable: Expr,
    pub conditions: Vec<Expr>,
}

/// Which value an update gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    Old,
    New,
}

#[derive(Debug)]
pub struct Update {
    pub target: Target,
    pub old: Expr,
    pub op: BinaryOp,
    pub value: Expr,
    pub gives: Gives,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    Plain,
    /// Makes an object.
    New,
}

#[derive(Debug)]
pub struct Call {
    pub function: Expr,
    pub arguments: Vec<Argument>,
    /// The place of the call in the text; the same call gives the same effect once.
    pub site: u32,
    pub kind: CallKind,
}

#[derive(Debug)]
pub enum Argument {
    One(Expr),
    Named(Name, Expr),
    Spread(Expr),
    SpreadNamed(Expr),
}

#[derive(Debug)]
pub enum Target {
    Ignore,
    /// A variable of the present scope.
    Name(Name),
    /// A variable of the nearest scope that has it, or of the program.
    Nearest(Name),
    /// A variable whose name is computed: a member of a class.
    Computed(Expr),
    /// Targets of the attributes of an object; the target of the remaining ones.
    Object(Vec<(Expr, Target)>, Option<Box<Target>>),
    /// A target with the value that it gets if there is none.
    Default(Box<(Target, Expr)>),
    Attribute(Expr, Name),
    Index(Expr, Expr),
    /// Targets of the items; the place of the one that takes the remaining items.
    Sequence(Vec<Target>, Option<usize>),
}

#[derive(Debug)]
pub struct Parameter {
    pub name: Name,
    pub default: Option<Expr>,
}

#[derive(Debug)]
pub struct Function {
    pub id: u32,
    pub name: Name,
    pub positional: Vec<Parameter>,
    pub rest: Option<Name>,
    pub keyword_only: Vec<Parameter>,
    pub named_rest: Option<Name>,
    pub body: Body,
    /// Whether a call gives a list of what the body yields.
    pub generator: bool,
    pub receiver: Receiver,
    pub arguments: Arguments,
    /// Whether the body sees the function by its name.
    pub sees_itself: bool,
}

/// How a function gets the object that its method belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receiver {
    /// As its first argument.
    Argument,
    /// As `this`, which the first parameter stands for.
    This,
    /// It sees that of the function around it.
    Lexical,
}

/// Whether the body sees all of its arguments as a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    Named,
    Unnamed,
}

#[derive(Debug)]
pub enum Body {
    Block(Block),
    Expr(Expr),
}

#[derive(Debug)]
pub struct Class {
    pub name: Name,
    pub bases: Vec<Argument>,
    pub body: Block,
    /// What is run with the class as its receiver once the class exists.
    pub statics: Option<Rc<Function>>,
}

/// Whether all iterations of a loop share its variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bindings {
    Shared,
    PerIteration,
}

/// A case of a switch: its value, none for the default, and what it runs.
pub type Choice = (Option<Expr>, Block);

#[derive(Debug)]
pub struct Handler {
    pub name: Option<Name>,
    pub body: Block,
}

/// A step from a value to a part of it.
#[derive(Debug, Clone)]
pub enum PartOf {
    /// The value of a key, which is a literal.
    Key(Constant),
    /// The item at a place; behind a star it is counted from the end.
    Item(i64),
    /// The items without so many at the start and at the end.
    Items(i64, i64),
    Attribute(Name),
    /// Something that is made of the value.
    Some,
}

#[derive(Debug)]
pub struct Case {
    /// Values that the subject is compared with; none if the pattern is not followed.
    pub values: Option<Vec<Expr>>,
    /// Names that the pattern binds, with the way to their part of the subject.
    pub binds: Vec<(Vec<PartOf>, Name)>,
    /// The pattern matches everything.
    pub always: bool,
    pub guard: Option<Expr>,
    pub body: Block,
}

#[derive(Debug)]
pub enum Statement {
    Expr(Expr),
    Assign(Vec<Target>, Expr),
    Update(Target, Expr, BinaryOp, Expr),
    /// The first branch whose condition holds; the last one may have none.
    Branch(Vec<(Option<Expr>, Block)>),
    For {
        target: Target,
        iterable: Expr,
        body: Block,
        otherwise: Block,
        bindings: Bindings,
    },
    While {
        test: Expr,
        /// What is run before every iteration but the first.
        step: Block,
        body: Block,
        otherwise: Block,
        /// Variables of which each iteration has its own.
        copies: Vec<Name>,
    },
    /// Statements with a scope of their own.
    Block(Block),
    /// Variables that exist from here on, without a value.
    Declare(Vec<Name>),
    /// The cases from the first that equals the subject on.
    Switch {
        subject: Expr,
        cases: Vec<Choice>,
    },
    Labeled(Name, Block),
    /// Statements that see the attributes of an object as variables.
    WithObject(Expr, Block),
    Function {
        code: Rc<Function>,
        decorators: Vec<Expr>,
    },
    Class {
        class: Rc<Class>,
        decorators: Vec<Expr>,
    },
    Return(Option<Expr>),
    /// Leaves the method that the present block was written in.
    ReturnOuter(Expr),
    /// Leaves the loop with the label, or the innermost.
    Break(Option<Name>),
    Continue(Option<Name>),
    Raise(Option<Expr>),
    Try {
        body: Block,
        handlers: Vec<Handler>,
        otherwise: Block,
        finally: Block,
    },
    With {
        items: Vec<(Expr, Option<Target>)>,
        body: Block,
    },
    Match {
        subject: Expr,
        cases: Vec<Case>,
    },
    /// `import module as name`.
    Import {
        module: Name,
        alias: Option<Name>,
    },
    /// `from module import name as alias`.
    ImportFrom {
        module: Name,
        names: Vec<(Name, Name)>,
        star: bool,
    },
    Global(Vec<Name>),
    Nonlocal(Vec<Name>),
    Delete(Vec<Target>),
}

/// A program in the intermediate form.
#[derive(Debug)]
pub struct Program {
    pub body: Block,
    /// Something of the text was left out because it is nested too deeply.
    pub cut: bool,
    /// Number of statements and expressions; the bound on the work grows with it.
    pub size: u64,
}
