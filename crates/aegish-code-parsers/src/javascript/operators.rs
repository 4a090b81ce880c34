//! Operators and constants of JavaScript.

use crate::ir::{BinaryOp, CompareOp, Constant, Expr};
use oxc_syntax::operator::{AssignmentOperator, BinaryOperator};
use std::rc::Rc;

/// A constant text.
pub(super) fn text(text: &str) -> Expr {
    Expr::Constant(Constant::Text(Rc::from(text)))
}

pub(super) fn number(value: f64) -> Constant {
    // Larger numbers are not exact.
    if value.fract() == 0.0 && value.abs() < 9.0e15 {
        #[allow(clippy::cast_possible_truncation)] // checked above
        return Constant::Int(value as i64);
    }
    Constant::Number
}

pub(super) enum Operator {
    Arithmetic(BinaryOp),
    Comparison(CompareOp),
}

pub(super) fn binary(operator: BinaryOperator) -> Operator {
    use Operator::{Arithmetic, Comparison};
    match operator {
        BinaryOperator::Equality => Comparison(CompareOp::LooseEqual),
        BinaryOperator::Inequality => Comparison(CompareOp::LooseNotEqual),
        BinaryOperator::StrictEquality => Comparison(CompareOp::Equal),
        BinaryOperator::StrictInequality => Comparison(CompareOp::NotEqual),
        BinaryOperator::LessThan => Comparison(CompareOp::Less),
        BinaryOperator::LessEqualThan => Comparison(CompareOp::LessEqual),
        BinaryOperator::GreaterThan => Comparison(CompareOp::Greater),
        BinaryOperator::GreaterEqualThan => Comparison(CompareOp::GreaterEqual),
        BinaryOperator::In => Comparison(CompareOp::In),
        BinaryOperator::Addition => Arithmetic(BinaryOp::Add),
        BinaryOperator::Subtraction => Arithmetic(BinaryOp::Sub),
        BinaryOperator::Multiplication => Arithmetic(BinaryOp::Mul),
        BinaryOperator::Division => Arithmetic(BinaryOp::Div),
        BinaryOperator::Remainder => Arithmetic(BinaryOp::Mod),
        BinaryOperator::Exponential => Arithmetic(BinaryOp::Pow),
        BinaryOperator::ShiftLeft => Arithmetic(BinaryOp::ShiftLeft),
        BinaryOperator::ShiftRight => Arithmetic(BinaryOp::ShiftRight),
        BinaryOperator::ShiftRightZeroFill => Arithmetic(BinaryOp::UnsignedShiftRight),
        BinaryOperator::BitwiseOR => Arithmetic(BinaryOp::BitOr),
        BinaryOperator::BitwiseXOR => Arithmetic(BinaryOp::BitXor),
        BinaryOperator::BitwiseAnd => Arithmetic(BinaryOp::BitAnd),
        BinaryOperator::Instanceof => Arithmetic(BinaryOp::Other),
    }
}

/// The operator of `a op= b`; none for plain and logical assignments.
pub(super) fn update(operator: AssignmentOperator) -> Option<BinaryOp> {
    match operator.to_binary_operator().map(binary)? {
        Operator::Arithmetic(op) => Some(op),
        Operator::Comparison(_) => None,
    }
}
